import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("Errors of import and save about bad input")
struct InputErrorTests {
    /// An input, and the message and the way out that the tool prints for it.
    struct Input: Sendable {
        let name: String
        let bytes: [UInt8]
        let message: String
        let wayOut: String

        init(_ name: String, _ bytes: [UInt8], _ message: String, _ wayOut: String) {
            (self.name, self.bytes, self.message, self.wayOut) = (name, bytes, message, wayOut)
        }

        init(_ name: String, _ text: String, _ message: String, _ wayOut: String) {
            self.init(name, Array(text.utf8), message, wayOut)
        }

        static func utf16(_ text: String, littleEndian: Bool, mark: Bool) -> [UInt8] {
            ((mark ? [0xFEFF] : []) + Array(text.utf16)).flatMap { unit in
                let (high, low) = (UInt8(unit >> 8), UInt8(unit & 0xFF))
                return littleEndian ? [low, high] : [high, low]
            }
        }
    }

    private static let line = "{\"id\":\"1\",\"title\":\"t\"}\n"

    static let inputs = [
        Input("list.json", "[\(line)]", "list.json is one JSON list", "`jq -c '.[]' list.json | tidelog import"),
        Input("a b.json", " [", "a b.json is one JSON list", "`jq -c '.[]' 'a b.json' | tidelog import"),
        Input(
            "notes.csv", "id,title\n1,t\n", "notes.csv begins with the head of a table (CSV)", "`mlr --icsv --ojsonl"),
        Input("notes.csv", "\"id\";\"title\"\r\n1;t\r\n", "head of a table (CSV)", "`mlr --icsv --ifs ';' --ojsonl"),
        Input("notes.tsv", "id\ttitle\n1\tt\n", "head of a table (CSV)", "`mlr --itsv --ojsonl"),
        Input(
            "bom", [0xEF, 0xBB, 0xBF] + Array(line.utf8), "bom begins with a byte order mark (BOM)", "`tail -c +4 bom |"
        ),
        Input(
            "wide", Input.utf16(line, littleEndian: true, mark: true), "wide is in UTF-16", "`iconv -f UTF-16 -t UTF-8"),
        Input("wide", Input.utf16(line, littleEndian: false, mark: true), "wide is in UTF-16", "`iconv -f UTF-16 -t"),
        Input("wide", Input.utf16(line, littleEndian: true, mark: false), "wide is in UTF-16", "`iconv -f UTF-16LE -t"),
        Input(
            "wide", Input.utf16(line, littleEndian: false, mark: false), "wide is in UTF-16", "`iconv -f UTF-16BE -t"),
        Input("pretty", "{\n  \"id\": \"1\"\n}\n", "Line 1 of pretty is no JSON: the text ends", "`jq -c . pretty |"),
        Input("words", "\(line)not json\n", "Line 2 of words is no JSON: ", "--skip-bad"),
        Input("numbers", "\(line)\n7\n", "Line 3 of numbers is JSON, but no object: ", "--skip-bad"),
    ]

    @Test("import names the problem of a file that is not JSON lines, and suggests a solution", arguments: inputs)
    func imports(input: Input) throws {
        let shop = try Shop(notes: 0)
        try Data(input.bytes).write(to: shop.directory.file(input.name))
        let outcome = try shop.shell("tidelog import --store shop --json Note '\(input.name)'")
        #expect(outcome.status == 1)
        #expect(try outcome.error()["code"]?.text == "invalidValue")
        let message = try #require(try outcome.error()["message"]?.text)
        let recovery = try #require(try outcome.error()["recovery"]?.text)
        #expect(message.contains(input.message), "\(message)")
        #expect(recovery.contains(input.wayOut), "\(recovery)")
        #expect(try shop.run("query", "Note", "--count").output == "0")
    }

    @Test("errors of import and save name standard input as the source of bad input", arguments: ["import", "save"])
    func standardInput(command: String) throws {
        let shop = try Shop(notes: 0)
        for input in Self.inputs {
            try Data(input.bytes).write(to: shop.directory.file("input"))
            let outcome = try shop.shell("tidelog \(command) --store shop Note - < input")
            #expect(outcome.status == 1)
            #expect(outcome.errors.lowercased().contains("standard input "), "\(outcome.errors)")
        }
        try shop.write("[]", to: "input")
        #expect(
            try shop.shell("tidelog \(command) --store shop Note - < input").errors.contains(
                "Standard input is one JSON list, and a JSON object a line is expected."))
    }

    @Test(
        "import and save without their last argument explain it, and mention - for standard input",
        arguments: ["import", "save"])
    func missingArgument(command: String) throws {
        let shop = try Shop(notes: 0)
        let outcome = try shop.run(command, "--json", "Note")
        #expect(outcome.status == 2)
        let message = try #require(try outcome.error()["message"]?.text)
        #expect(message.contains(" is missing: ") && message.contains("- for standard input"), "\(message)")
    }

    @Test("the command that import suggests for a UTF-16 file imports the file")
    func wayOut() throws {
        let shop = try Shop(notes: 0)
        try Data(Input.utf16(Self.line, littleEndian: false, mark: true)).write(to: shop.directory.file("wide"))
        let outcome = try shop.shell("tidelog import --store shop Note wide")
        let command = try #require(outcome.errors.split(separator: "`").dropFirst().first)
        let way = try shop.shell(String(command).replacing("DIR", with: "shop"))
        #expect(way.status == 0, "\(way.errors)")
        #expect(try shop.run("get", "Note", "1").status == 0)
    }

    @Test("--skip-bad skips lines that are not JSON, but does not accept a file in another encoding")
    func skipsBad() throws {
        let shop = try Shop(notes: 0)
        try shop.write("title,id\n" + Self.line + "nonsense\n{\"id\":\"2\"\n", to: "mixed")
        let outcome = try shop.run("import", "--skip-bad", "Note", shop.file("mixed"))
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("line 1 skipped: "))
        #expect(outcome.errors.contains("line 3 skipped: it is no JSON: "))
        #expect(outcome.errors.contains("line 4 skipped: it is no JSON: the text ends inside a value at column 10"))
        #expect(outcome.errors.contains("✓ 1 record of Note"))
        try Data(Input.utf16(Self.line, littleEndian: true, mark: true)).write(to: shop.directory.file("wide"))
        #expect(try shop.run("import", "--skip-bad", "Note", shop.file("wide")).status == 1)
    }

    @Test("save reports that its argument is not JSON, is not an object, or has a bad field")
    func savesArgument() throws {
        let shop = try Shop(notes: 0)
        #expect(try shop.run("save", "Note", "title").errors.contains("The record is no JSON: "))
        #expect(try shop.run("save", "Note", "[]").errors.contains("The record is JSON, but no object: "))
        #expect(try shop.run("save", "Note", #"{"id":"1","title":"t","rating":"x"}"#).errors.contains("Note.rating"))
    }

    @Test("messages about a bad value of an enum list the cases: in records, predicates, schemas and options")
    func enumCases() throws {
        let shop = try Shop(notes: 1)
        let cases = "ACTIVE, GONE"
        let misspelled = try shop.run("save", "Note", #"{"id":"1","title":"t","status":"ACTVE"}"#)
        #expect(misspelled.status == 0 && misspelled.errors.contains("The cases are \(cases)."))
        #expect(misspelled.errors.contains(#"does not name; did you mean "ACTIVE"? It is kept."#))
        let number = try shop.run("save", "Note", #"{"id":"1","title":"t","status":3}"#)
        #expect(
            number.status == 1 && number.errors.contains("expected a string, found a number; the cases are \(cases)."))
        for predicate in [#"status == "ACTVE""#, #"rating > 1 && !(status != "ACTVE")"#] {
            let query = try shop.run("query", "Note", predicate)
            #expect(query.status == 0)
            let warning =
                #"The enum of Note.status has no case "ACTVE"; did you mean "ACTIVE"? The cases are \#(cases)."#
            #expect(query.errors.contains(warning))
        }
        #expect(!(try shop.run("query", "Note", #"status == "GONE""#).errors.contains("warning")))
        try shop.write(
            Shop.schema.replacing("status: Status", with: "status: Status @default(value: \"ACTVE\")"),
            to: "bad.graphql")
        let schema = try Tool.run("schema", "print", shop.file("bad.graphql"))
        #expect(schema.status == 2 && schema.errors.contains(cases), "\(schema.errors)")
        let option = try Tool.run("stats", "--store", "x", "--adapter", "lmbd")
        #expect(option.status == 2 && option.errors.contains("lmdb, sqlite"))
    }

    @Test("every message that counts uses the singular for one")
    func singular() throws {
        let shop = try Shop(notes: 1)
        let one = Self.line
        try shop.write(one, to: "one")
        try shop.write(one + "x\n", to: "bad")
        let progress = try shop.run("import", "--progress", "Note", shop.file("one"))
        #expect(progress.errors.contains(" 1 record  ") && progress.errors.contains("✓ 1 record of Note"))
        let skipped = try shop.run("import", "--skip-bad", "Note", shop.file("bad"))
        #expect(skipped.errors.contains(", 1 was there already, 1 bad line skipped"))
        #expect(try shop.run("query", "Note", "--limit", "1").errors.hasPrefix("1 record in "))
        #expect(try shop.run("save", "Note", one).errors.contains("Saved 1 record of"))
        #expect(try shop.run("delete", "Note", "1").errors.contains("Deleted 1 record of"))
        let key = try shop.run("get", "Note", "a", "b")
        #expect(key.errors.contains("has 1 key field, and 2 were given"))
        #expect(try shop.run("get", "Line", "a").errors.contains("has 2 key fields, and 1 was given"))
        let unknown = try shop.run("save", "Note", #"{"id":"1","title":"t","status":"X"}"#)
        #expect(unknown.errors.contains("1 text that the schema's enum does not name. It is kept."))
        let fresh = try Shop(notes: 0)
        #expect(try fresh.run("stats").output.contains("1 event, head 1"))
        #expect(try fresh.run("verify").output.contains("1 event, every checksum"))
        #expect(try fresh.run("rebuild").errors.contains("from 1 event in"))
        try fresh.write("type A @model { id: ID! }", to: "one.graphql")
        let models = try Tool.run("generate", fresh.file("one.graphql"), "--output", fresh.file("Models"))
        #expect(models.errors.contains("2 files, 0 unchanged."), "\(models.errors)")
    }
}
