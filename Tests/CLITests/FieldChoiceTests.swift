import Testing
import TidelogJSON

@Suite("--fields, --vertical and --where")
struct FieldChoiceTests {
    @Test("--fields chooses fields and their order, in tables, lines and JSON")
    func chooses() throws {
        let shop = try Shop(notes: 2)
        #expect(
            try shop.run("query", "Note", "--fields", "rating,id").lines == ["rating  id", "     0  n0", "     1  n1"])
        #expect(try shop.run("query", "Note", "--fields=title", "--json").lines[1] == #"{"title":"Note 1"}"#)
        #expect(
            try shop.run("query", "Note", "--fields", "title, id", "--json", "--limit", "1").output
                == #"{"title":"Note 0","id":"n0"}"#)
        #expect(try shop.run("get", "Note", "n1", "--fields", "title,id").lines == ["title  Note 1", "id     n1"])
        #expect(try shop.run("get", "Note", "n1", "--fields", "rating", "--json").output == #"{"rating":1}"#)
    }

    @Test("an unknown name in --fields is exit 2, and the error lists the model's fields")
    func unknownField() throws {
        let shop = try Shop(notes: 1)
        for arguments in [["query", "Note"], ["query", "Note", "--json"], ["get", "Note", "n0"]] {
            let outcome = try Tool.run(
                arguments.prefix(1) + ["--store", shop.store, "--fields", "titel"] + arguments.dropFirst())
            #expect(outcome.status == 2)
            #expect(outcome.errors.contains("Note has no field titel"))
        }
        let people = try shop.run("query", "Note", "--fields", "titl")
        #expect(people.errors.contains("did you mean \"title\"?") && people.errors.contains("Fields: id, title"))
        #expect(try shop.run("query", "Note", "--fields", ",").status == 2)
    }

    @Test("--vertical shows one field a line, and an empty line between two records")
    func vertical() throws {
        let shop = try Shop(notes: 2)
        let outcome = try shop.run("query", "Note", "--vertical")
        #expect(
            outcome.lines == [
                "id         n0", "title      Note 0", "rating     0", "", "id         n1", "title      Note 1",
                "rating     1",
            ])
        #expect(outcome.errors.hasPrefix("2 records in "))
        #expect(
            try shop.run("query", "Note", "--vertical", "--fields", "rating", "--limit", "1").lines == ["rating  0"])
        #expect(try shop.run("query", "Note", "--vertical", "--json").status == 2)
    }

    @Test("query accepts its predicate as an argument or with --where, but not both")
    func whereOption() throws {
        let shop = try Shop(notes: 10)
        #expect(try shop.run("query", "Note", "--where", "rating > 6", "--count").output == "3")
        #expect(try shop.run("query", "Note", "rating > 6", "--where", "rating > 6").status == 2)
        #expect(try shop.run("query", "Note", "--where", "rating >").status == 2)
    }
}
