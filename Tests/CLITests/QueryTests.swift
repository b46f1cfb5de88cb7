import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("tidelog query and get")
struct QueryTests {
    private func ids(_ outcome: Outcome) throws -> [String] { try outcome.objects().compactMap { $0["id"]?.text } }

    @Test("predicate, sort, limit and offset choose the records", arguments: ["lmdb", "sqlite"])
    func queries(adapter: String) throws {
        let shop = try Shop(notes: 30, adapter: adapter)
        let sorted = try shop.run(
            "query", "Note", "rating > 6 && !(id == \"n8\")", "--sort", "-rating,id", "--limit", "4", "--offset", "1",
            "--json")
        #expect(sorted.status == 0)
        #expect(try ids(sorted) == ["n29", "n9", "n18", "n28"])
        #expect(try shop.run("query", "Note", "rating.between(2, 3)", "--count").output == "6")
        #expect(try shop.run("query", "Note", "--count", "--limit", "5", "--json").output == #"{"count":5}"#)
        #expect(try shop.run("query", "Note", "weight == nil", "--count").output == "30")
        let none = try shop.run("query", "Note", "rating > 100", "--json")
        #expect(none.status == 0)
        #expect(none.lines.isEmpty)
    }

    @Test("records are JSON in schema order without absent fields")
    func recordsAsJSON() throws {
        let shop = try Shop(notes: 0)
        _ = try shop.run("save", "Note", #"{"weight":468,"title":"t","id":"1","tags":null,"status":"ACTIVE"}"#)
        let expected = #"{"id":"1","title":"t","weight":468.0,"status":"ACTIVE"}"#
        #expect(try shop.run("get", "Note", "1", "--json").output == expected)
        #expect(try shop.run("query", "Note", "--json").output == expected)
        #expect(try shop.run("export", "Note").output == expected)
    }

    @Test("--metadata adds nothing to records that no server has sent", arguments: ["lmdb", "sqlite"])
    func metadata(adapter: String) throws {
        let shop = try Shop(notes: 12, adapter: adapter)
        let plain = try shop.run("export", "Note")
        #expect(plain.lines.count == 12)
        #expect(try shop.run("export", "Note", "--metadata").lines == plain.lines)
        #expect(try shop.run("query", "Note", "--json", "--metadata").lines == plain.lines)
        #expect(try shop.run("get", "Note", "n0", "--json", "--metadata").output == plain.lines[0])
    }

    @Test("without --json, query prints an aligned table, and uses no colour without a terminal")
    func table() throws {
        let shop = try Shop(notes: 3)
        let outcome = try shop.run("query", "Note", "--sort", "-rating")
        #expect(
            outcome.lines == [
                "id  title   rating  weight  tags  status", "n2  Note 2       2", "n1  Note 1       1",
                "n0  Note 0       0",
            ])
        #expect(outcome.errors.hasPrefix("3 records in "))
        #expect(!outcome.errors.contains("\u{1B}"))
    }

    #if os(Linux)
        private static let unavailability = TemporaryFilesystem.unavailability()

        @Test(
            "rows that SQLite cannot sort in a full temporary folder come in the order of their keys",
            .enabled(if: unavailability == nil, "\(unavailability ?? "")"))
        func fullTemporaryFolder() throws {
            let shop = try Shop(notes: 0, adapter: "sqlite")
            // SQLite sorts four MiB in memory, and these are eight.
            let tail = String(repeating: "x", count: 1_000)
            let notes = (0..<8_000).map { "{\"id\":\"n\($0)\",\"title\":\"\(tail)\",\"rating\":\($0 % 10)}\n" }
            try shop.write(notes.joined(), to: "many.ndjson")
            #expect(try shop.run("import", "Note", shop.file("many.ndjson")).status == 0)
            let arguments = ["query", "--store", shop.store, "Note", "rating < 9", "--fields", "id", "--json"]
            let disk = try TemporaryFilesystem(size: 64 << 10)
            let child = try Tool.start(arguments, environment: ["SQLITE_TMPDIR": disk.url.path])
            let outcome = try Tool.finish(child)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(outcome.lines.count == 7_200)
            #expect(outcome.lines == (try Tool.run(arguments).lines))
            #expect(try ids(outcome) == notes.indices.filter { $0 % 10 < 9 }.map { "n\($0)" }.sorted())
        }
    #endif

    @Test("--explain says whether an index is read or the table is scanned", arguments: ["lmdb", "sqlite"])
    func explains(adapter: String) throws {
        let shop = try Shop(notes: 3, adapter: adapter)
        let index = try shop.run("query", "Note", "rating == 2", "--explain")
        #expect(index.output.lowercased().contains("index"))
        #expect(index.output.contains("byRating"))
        let plan = try shop.run("query", "Note", "title == \"x\"", "--explain", "--json").object()
        #expect(plan.keys == ["index", "plan", "sorts"])
        #expect(plan["plan"]?.text?.lowercased().contains("scan") == true)
    }

    @Test(
        "a bad predicate is exit 2 with line and column",
        arguments: [
            ("rating >", "1:9"), ("rating = 3", "1:8"), ("title == \"x\" &&\n  colour == 1", "2:3"),
            ("title == \"rating\" && rating == \"x\"", "1:22"), ("tags > 3", "1:1"),
            ("rating.beginsWith(\"1\")", "1:1"),
        ])
    func badPredicate(text: String, place: String) throws {
        let shop = try Shop(notes: 1)
        let outcome = try shop.run("query", "Note", text, "--json")
        #expect(outcome.status == 2)
        let error = try outcome.error()
        #expect(error["code"]?.text == "invalidPredicate")
        #expect(error["message"]?.text?.contains("\(place):") == true, "\(outcome.errors)")
    }

    @Test(
        "a common mistake in a predicate gets the whole predicate in its right form",
        arguments: [
            ("title = x", #"'title == "x"'"#), ("titel == 'x'", #"'titel == "x"'"#),
            ("rating in [1, 2]", "'rating.in([1, 2])'"), ("rating > 1_000_000", "'rating > 1000000'"),
            ("rating == 1 and title == 'x'", #"'rating == 1 && title == "x"'"#),
        ])
    func commonMistake(text: String, corrected: String) throws {
        let outcome = try Shop(notes: 1).run("query", "Note", text, "--json")
        #expect(outcome.status == 2)
        #expect(try outcome.error()["code"]?.text == "invalidPredicate")
        #expect(try outcome.error()["recovery"]?.text?.hasSuffix("The whole predicate: \(corrected)") == true)
    }

    @Test("a misspelled field or enum case gets the most similar name")
    func misspelled() throws {
        let shop = try Shop(notes: 1)
        let field = try shop.run("query", "Note", "titel == \"x\"", "--json")
        #expect(try field.error()["message"]?.text?.hasSuffix("has no field titel; did you mean \"title\"?") == true)
        #expect(try shop.run("query", "Note", "--sort", "-ratin").errors.contains("did you mean \"rating\"?"))
        let value = try shop.run("query", "Note", "status == \"ACTVE\"")
        #expect(value.status == 0 && value.errors.contains("has no case \"ACTVE\"; did you mean \"ACTIVE\"?"))
        let record = try shop.run("save", "Note", #"{"id":"1","titel":"x"}"#)
        #expect(record.errors.contains("has no field \"titel\" (did you mean \"title\"?)"))
    }

    @Test(
        "a predicate without quotes is exit 2, and the error has the command with quotes",
        arguments: [
            ("query --store shop Note title == \"x\"", #"query --store shop Note 'title == "x"'"#),
            ("query --store shop Note title = 'a b' --limit 3", #"query --store shop Note 'title == "a b"' --limit 3"#),
            ("query Note --where rating == 3 --store shop", "query Note --where 'rating == 3' --store shop"),
            ("delete --store shop Note --where title == x", #"delete --store shop Note --where 'title == "x"'"#),
            (
                "save --store shop Note '{}' --where rating in '[1]'",
                "save --store shop Note '{}' --where 'rating.in([1])'"
            ),
        ])
    func withoutQuotes(line: String, command: String) throws {
        let outcome = try Shop(notes: 1).shell("tidelog \(line)")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("Put the predicate in quotes: tidelog \(command)\n"), "\(outcome.errors)")
    }

    @Test("if the shell took the operator for itself, the error says that it does")
    func redirected() throws {
        let shop = try Shop(notes: 1)
        let outcome = try shop.shell("tidelog query --store shop Note rating > 3")
        #expect(outcome.status == 2)
        #expect(outcome.errors.contains("Put the whole predicate in quotes"), "\(outcome.errors)")
        #expect(outcome.errors.contains("'rating > 3'"), "\(outcome.errors)")
    }

    @Test(
        "an error in a condition on a related or embedded value has the place and the right model",
        arguments: [
            ("notes.colour == 1", "1:7", "Note", "has no field colour"),
            ("rating == 1 ||\n notes.rating == \"x\"", "2:8", "Note", "Note.rating does not fit"),
            ("notes.shelf.name == \"x\"", "1:7", "Shelf", "follows the relations notes and then shelf"),
            ("place.colour == 1", "1:1", "Shelf", "has no field place.colour"),
            ("name.size == \"x\"", "1:1", "Shelf", "name.size"),
        ])
    func badRelatedPredicate(text: String, place: String, model: String, message: String) throws {
        let shop = try Shop()
        try shop.write(
            """
            type Place { row: Int }
            type Shelf @model { id: ID! name: String rating: Int place: Place notes: [Note] @hasMany }
            type Note @model { id: ID! rating: Int shelf: Shelf @belongsTo }
            """, to: "shelves.graphql")
        #expect(try shop.run("init", "--schema", shop.file("shelves.graphql")).status == 0)
        let outcome = try shop.run("query", "Shelf", text, "--json")
        #expect(outcome.status == 2)
        let error = try outcome.error()
        #expect(error["model"]?.text == model)
        #expect(error["message"]?.text?.hasPrefix("Predicate \(place): ") == true, "\(outcome.errors)")
        #expect(error["message"]?.text?.contains(message) == true, "\(outcome.errors)")
    }

    @Test("a number finds the Floats that were saved with the same digits", arguments: ["lmdb", "sqlite"])
    func floats(adapter: String) throws {
        let shop = try Shop(notes: 0, adapter: adapter)
        for (id, digits) in [("a", "9007199254740993"), ("b", "123456789012345680000"), ("c", "0.1")] {
            #expect(try shop.run("save", "Note", "{\"id\":\"\(id)\",\"title\":\"t\",\"weight\":\(digits)}").status == 0)
            for predicate in [
                "weight == \(digits)", "weight.in([\(digits)])", "weight.between(\(digits), \(digits))",
                "!(weight < \(digits)) && weight <= \(digits)",
            ] {
                let outcome = try shop.run("query", "Note", predicate, "--json")
                #expect(try outcome.objects().map { $0["id"]?.text } == [id], "\(predicate): \(outcome.errors)")
            }
        }
        // A number that no Int can have is comparable with an Int all the same.
        #expect(try shop.run("query", "Note", "rating == 123456789012345680000", "--count").output == "0")
        #expect(try shop.run("delete", "Note", "--where", "weight == 9007199254740993", "--json").status == 0)
        #expect(try shop.run("query", "Note", "--count").output == "2")
    }

    @Test("an unknown model or sort field is exit 2, and the error suggests the known names")
    func unknownNames() throws {
        let shop = try Shop(notes: 1)
        let model = try shop.run("query", "Notes")
        #expect(model.status == 2)
        #expect(model.errors.contains("did you mean \"Note\"?"))
        let sort = try shop.run("query", "Note", "--sort", "colour")
        #expect(sort.status == 2)
        #expect(sort.errors.contains("Fields: id, title"))
    }

    @Test("a missing record is exit 3, and the error has the model and the id")
    func notFound() throws {
        let shop = try Shop(notes: 1)
        let outcome = try shop.run("get", "Note", "nobody", "--json")
        #expect(outcome.status == 3)
        #expect(outcome.lines.isEmpty)
        let error = try outcome.error()
        #expect(error.keys == ["code", "message", "model", "id", "recovery"])
        #expect(error["code"]?.text == "notFound")
        #expect(error["model"]?.text == "Note")
        #expect(error["id"]?.text == "nobody")
    }

    @Test("each key field is an argument in schema order")
    func compositeKey() throws {
        let shop = try Shop(notes: 0)
        let line = #"{"order":"a","number":-2,"text":"two"}"#
        #expect(try shop.run("save", "Line", line).status == 0)
        #expect(try shop.run("get", "Line", "a", "-2", "--json").output == line)
        #expect(try shop.run("get", "Line", "a", "3").status == 3)
        #expect(try shop.run("get", "Line", "a").status == 2)
        #expect(try shop.run("get", "Line", "a", "two").status == 2)
        let event = try shop.run("history", "Line", "a", "-2", "--json").object()
        #expect(event["id"] == .array([.string("a"), .int(-2)]))
    }
}
