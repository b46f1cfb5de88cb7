import FaultHarness
import Testing
import TidelogJSON

@Suite("Output on a terminal and in a pipe")
struct TerminalTests {
    /// A text that would clear the screen, ring the bell, break the line and change the direction of writing.
    private static let hostile = #"a\u001b[2Jb\u0007c\nd\u009be\u202ef"#

    private func shop(title: String) throws -> Shop {
        let shop = try Shop(notes: 0)
        let outcome = try shop.run("save", "Note", "{\"id\":\"1\",\"title\":\"\(title)\",\"rating\":1}")
        #expect(outcome.status == 0, "\(outcome.errors)")
        return shop
    }

    @Test(
        "on a terminal, every command escapes the control characters of a text",
        arguments: [
            "get --store shop Note 1", "get --store shop Note 1 --json", "query --store shop Note",
            "query --store shop Note --vertical", "query --store shop Note --json", "export --store shop Note",
            "log --store shop --json", "history --store shop Note 1 --json",
        ])
    func escapes(command: String) throws {
        let (text, outcome) = try shop(title: Self.hostile).onTerminal("tidelog \(command)", columns: 200)
        #expect(outcome.status == 0)
        #expect(text.contains(Self.hostile), "\(text)")
        let isHarmless = text.unicodeScalars.allSatisfy { scalar in
            scalar == "\n"
                || !(0..<0x20).contains(scalar.value) && !(0x7F...0x9F).contains(scalar.value)
                    && scalar != "\u{202E}"
        }
        #expect(isHarmless)
    }

    @Test("on a terminal, log, history and errors escape the control characters of a key")
    func escapesKeys() throws {
        let shop = try Shop(notes: 0)
        #expect(try shop.run("save", "Note", #"{"id":"\u001b[2J","title":""}"#).status == 0)
        for command in ["log --store shop", "history --store shop Note $(printf '\\033[2J')"] {
            let text = try shop.onTerminal("tidelog \(command)").text
            #expect(text.contains(#"\u001b[2J"#) && !text.contains("\u{1B}"), "\(text)")
        }
        let missing = try shop.onTerminal("tidelog get --store shop Note $(printf 'x\\033[2J')", withErrors: true)
        #expect(missing.text.contains(#"key x\u001b[2J."#) && !missing.text.contains("\u{1B}"), "\(missing.text)")
        #expect(missing.outcome.status == 3)
    }

    @Test("in a pipe, get writes a text byte for byte")
    func raw() throws {
        let outcome = try shop(title: #"a\u001b[2Jb\tc\u009b"#).run("get", "Note", "1")
        #expect(outcome.lines.contains("title      a\u{1B}[2Jb\tc\u{9B}"))
    }

    /// A shop with a note that needs a wide line.
    private func wideShop() throws -> Shop {
        let shop = try Shop(notes: 0)
        try shop.write(
            """
            {"id":"1","title":"A title that is rather long for a line","rating":-9223372036854775808,\
            "weight":1234.56789,"tags":["one","two","three"],"status":"ACTIVE"}

            """, to: "wide")
        #expect(try shop.run("import", "Note", shop.file("wide")).status == 0)
        return shop
    }

    @Test("a narrow table cuts texts but no numbers, then leaves out columns and names them in a line")
    func leavesColumnsOut() throws {
        let shop = try wideShop()
        let wide = try shop.onTerminal("tidelog query --store shop Note", columns: 200).text
        #expect(wide.contains("A title that is rather long for a line") && wide.contains("one, two, three"))
        #expect(!wide.contains("too narrow"))
        for columns in 20..<120 {
            let lines = try shop.onTerminal("tidelog query --store shop Note", columns: columns).text
                .split(separator: "\n").map(String.init)
            let titles = lines[0].split(separator: " ").map(String.init)
            #expect(titles.first == "id")
            #expect(titles.contains("rating") == lines[1].contains("-9223372036854775808"), "\(lines)")
            #expect(titles.contains("weight") == lines[1].contains("1234.56789"), "\(lines)")
            #expect(lines.prefix(2).allSatisfy { $0.count <= columns }, "\(lines)")
            let missing = ["title", "rating", "weight", "tags", "status"].filter { !titles.contains($0) }
            if missing.isEmpty {
                #expect(lines.count == 2)
            } else {
                let names = missing.joined(separator: ", ")
                #expect(lines[2].hasPrefix("not shown, since the terminal is too narrow: \(names) ("))
                #expect(lines[2].contains("--fields") && lines[2].contains("--vertical"))
            }
        }
    }

    @Test("a number that is wider than the numbers of earlier rows is shown in full")
    func lateNumber() throws {
        let shop = try Shop(notes: 600)
        let wide = #"{"id":"zz","title":"t","rating":9223372036854775807}"#
        #expect(try shop.run("save", "Note", wide).status == 0)
        let text = try shop.onTerminal("tidelog query --store shop Note --fields id,rating,title", columns: 40).text
        #expect(text.contains("9223372036854775807"))
    }

    @Test("in a pipe, a table has every column with its full text")
    func wholeInPipe() throws {
        let lines = try wideShop().run("query", "Note").lines
        #expect(lines[0].split(separator: " ") == ["id", "title", "rating", "weight", "tags", "status"])
        #expect(lines[1].contains("A title that is rather long for a line") && lines[1].contains("one, two, three"))
    }

    @Test("lines of progress fit every width from 20 columns", arguments: ["import", "export", "rebuild", "compact"])
    func progress(command: String) throws {
        let shop = try Shop(notes: 3_000)
        for columns in [20, 21, 28, 40, 60, 79, 80, 120] {
            let line =
                switch command {
                case "import": "tidelog import --store shop Note notes.ndjson"
                case "export": "tidelog export --store shop Note > /dev/null"
                default: "tidelog \(command) --store shop"
                }
            let (text, outcome) = try shop.onTerminal("\(line) --progress", columns: columns, withErrors: true)
            #expect(outcome.status == 0, "\(text)")
            let drawn = text.split(separator: "\r\u{1B}[2K").dropFirst().map { $0.prefix { $0 != "\n" } }
            #expect(drawn.allSatisfy { $0.count < columns && !$0.isEmpty }, "\(columns): \(drawn)")
            if command == "export" || command == "import" {
                #expect(drawn.last?.contains("100%") == true, "\(columns): \(drawn)")
            }
        }
    }

    @Test("--explain fits a screen of 80 columns and 24 lines", arguments: ["lmdb", "sqlite"])
    func explanation(adapter: String) throws {
        let shop = try Shop()
        try shop.write(
            """
            type Shelf @model { id: ID! name: String room: Int notes: [Note] @hasMany }
            type Note @model {
              id: ID! title: String @index(name: "byTitle") rating: Int @index(name: "byRating") shelf: Shelf @belongsTo
            }
            """, to: "shelves.graphql")
        #expect(
            try shop.run("init", "--schema", shop.file("shelves.graphql"), "--adapter", adapter).status == 0)
        try shop.write((0..<90).map { "{\"id\":\"s\($0)\",\"room\":1}\n" }.joined(), to: "shelves")
        #expect(try shop.run("import", "Shelf", shop.file("shelves")).status == 0)
        let ratings = (0..<200).map(String.init).joined(separator: ", ")
        for predicate in [
            "shelf.room == 1", "rating.in([\(ratings)])",
            "title == \"\(String(repeating: "x", count: 300))\" && rating > 3",
            "title.beginsWith(\"San\") || rating > 4 && rating < 10 || rating == 77 || title == \"y\"",
        ] {
            let (text, outcome) = try shop.onTerminal(
                "tidelog query --store shop Note '\(predicate)' --sort -rating,title --explain")
            #expect(outcome.status == 0, "\(outcome.errors)")
            let lines = text.split(separator: "\n")
            #expect(!lines.isEmpty && lines.count < 24, "\(text)")
            #expect(lines.allSatisfy { $0.count <= 80 }, "\(text)")
        }
    }

    @Test("on a narrow terminal, log and history cut long values, and show every changed field")
    func cutsValues() throws {
        let shop = try wideShop()
        let long = String(repeating: "word ", count: 100)
        let patch = #"{"id":"1","title":"\#(long)","rating":5,"tags":["\#(long)"]}"#
        #expect(try shop.run("save", "Note", patch, "--patch").status == 0)
        for columns in [60, 80, 100, 200] {
            let text = try shop.onTerminal("tidelog history --store shop Note 1", columns: columns).text
            let lines = text.split(separator: "\n")
            #expect(lines.count <= 4 && lines.allSatisfy { $0.count <= columns }, "\(text)")
            #expect(lines.last?.contains("rating") == true && lines.last?.contains("…") == true, "\(text)")
            if columns >= 80 {
                #expect(lines.last?.contains("tags") == true && lines.last?.contains("→") == true, "\(text)")
            }
        }
        let whole = try shop.run("history", "Note", "1").lines
        #expect(whole.count == 2 && whole[1].contains(long))
    }
}
