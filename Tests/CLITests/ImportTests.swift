import FaultHarness
import Foundation
import Testing
import TidelogJSON

@Suite("tidelog import")
struct ImportTests {
    @Test("each batch is one commit, and --ack prints a line after each commit", arguments: ["lmdb", "sqlite"])
    func acknowledges(adapter: String) throws {
        let shop = try Shop()
        try shop.write(Shop.notes(0..<25), to: "notes.ndjson")
        let outcome = try shop.run(
            "import", "--schema", shop.file("schema.graphql"), "--adapter", adapter, "--batch", "10", "--ack", "Note",
            shop.file("notes.ndjson"))
        #expect(outcome.status == 0)
        #expect(
            outcome.lines == [
                #"{"acknowledged":10,"sequence":11}"#, #"{"acknowledged":20,"sequence":21}"#,
                #"{"acknowledged":25,"sequence":26}"#,
            ])
        #expect(try shop.run("query", "Note", "--count").output == "25")
    }

    @Test("a bad line stops the import with the number of the line, and no record of its batch is saved")
    func stopsAtBadLine() throws {
        let shop = try Shop()
        let lines = Shop.notes(0..<14) + "{\"id\":\"bad\"}\n" + Shop.notes(14..<30)
        try shop.write(lines, to: "notes.ndjson")
        let outcome = try shop.run(
            "import", "--schema", shop.file("schema.graphql"), "--batch", "5", "--json", "Note",
            shop.file("notes.ndjson"))
        #expect(outcome.status == 1)
        let error = try outcome.error()
        #expect(error["code"]?.text == "invalidValue")
        #expect(error["model"]?.text == "Note")
        #expect(error["message"]?.text?.hasPrefix("Line 15: 15:1: Note.title") == true)
        #expect(try shop.run("query", "Note", "--count").output == "10")
    }

    @Test("--skip-bad reports bad lines and continues, and --ack counts the skipped lines too")
    func skipsBadLines() throws {
        let shop = try Shop()
        let long = String(repeating: "k", count: 300)
        try shop.write(
            Shop.notes(0..<3) + "not json\n{\"id\":\"\(long)\",\"title\":\"\"}\n\n" + Shop.notes(3..<6),
            to: "notes.ndjson")
        let outcome = try shop.run(
            "import", "--schema", shop.file("schema.graphql"), "--skip-bad", "--ack", "Note", shop.file("notes.ndjson"))
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("line 4 skipped"))
        #expect(outcome.errors.contains("line 5 skipped"))
        #expect(outcome.errors.contains("2 bad lines skipped"))
        #expect(outcome.lines == [#"{"acknowledged":9,"sequence":7}"#])
        #expect(try shop.run("query", "Note", "--count").output == "6")
    }

    @Test("a text that is no case of its enum is kept, exported and imported again, with a warning")
    func keepsUnknownCases() throws {
        let shop = try Shop()
        let lines =
            "{\"id\":\"1\",\"title\":\"t\",\"status\":\"LATER\"}\n{\"id\":\"2\",\"title\":\"t\",\"status\":\"GONE\"}\n"
        try shop.write(lines, to: "notes.ndjson")
        let outcome = try shop.run(
            "import", "--schema", shop.file("schema.graphql"), "Note", shop.file("notes.ndjson"))
        #expect(outcome.status == 0)
        #expect(outcome.errors.contains("warning: Note.status has 1 text that the schema's enum does not name."))
        #expect(!outcome.errors.contains("LATER"))
        let exported = try shop.run("export", "Note")
        #expect(exported.output + "\n" == lines)
        try shop.write(exported.output + "\n", to: "exported.ndjson")
        #expect(try shop.run("import", "Note", shop.file("exported.ndjson")).status == 0)
        #expect(try shop.run("export", "Note").output == exported.output)
        let saved = try shop.run("save", "Note", #"{"id":"3","title":"t","status":"NEVER"}"#)
        #expect(saved.status == 0 && saved.errors.contains("warning: Note.status"))
        #expect(try shop.run("query", "Note", "status == \"LATER\"", "--count").output == "1")
    }

    @Test("the argument `-` reads standard input, and --origin remote marks the events")
    func readsStandardInput() throws {
        let shop = try Shop()
        try shop.write(Shop.notes(0..<2), to: "notes.ndjson")
        let outcome = try shop.shell(
            "cat notes.ndjson | tidelog import --store shop --schema schema.graphql --origin remote Note -")
        #expect(outcome.status == 0)
        let events = try shop.run("log", "--model", "Note", "--json").objects()
        #expect(events.map { $0["origin"]?.text } == ["remote", "remote"])
    }

    @Test("import --skip-bad --json prints a line for each bad line, and then one line with the counts")
    func countsAsJSON() throws {
        let shop = try Shop()
        try shop.write(Shop.notes(0..<4) + "{}\n", to: "notes.ndjson")
        let outcome = try shop.run(
            "import", "--schema", shop.file("schema.graphql"), "--skip-bad", "--json", "Note", shop.file("notes.ndjson")
        )
        #expect(
            outcome.lines == [
                #"{"line":5,"reason":"5:1: Note.id: the field is required and has no value"}"#,
                #"{"imported":4,"unchanged":0,"skipped":1,"sequence":5}"#,
            ])
        #expect(outcome.errors == "")
    }

    @Test("after SIGINT, import ends its commit and is exit 130, and the log has every acknowledged record")
    func interrupted() throws {
        let shop = try Shop()
        try shop.write(Shop.notes(0..<200_000), to: "notes.ndjson")
        let child = try Tool.start([
            "import", "--store", shop.store, "--schema", shop.file("schema.graphql"), "--batch", "10", "--ack", "Note",
            shop.file("notes.ndjson"),
        ])
        _ = try child.readLine()
        child.signal(SIGINT)
        let outcome = try Tool.finish(child)
        #expect(outcome.status == 130)
        let last = try JSONValue(parsing: Array((outcome.lines.last ?? "").utf8))
        let acknowledged = try #require(last["acknowledged"]?.number)
        #expect(acknowledged < 200_000)
        #expect(try shop.run("query", "Note", "--count").output == "\(acknowledged)")
    }

    @Test("SIGINT also ends an import that waits for standard input")
    func interruptedWhileWaiting() throws {
        let shop = try Shop(notes: 1)
        try shop.write(Shop.notes(5..<6), to: "line")
        let outcome = try shop.shell(
            """
            mkfifo pipe && exec 3<>pipe && cat line >&3
            tidelog import --store shop --batch 1 --ack Note - < pipe > acknowledged & child=$!
            while [ ! -s acknowledged ]; do sleep 0.05; done
            kill -INT $child; wait $child; echo $?
            """)
        #expect(outcome.lines.last == "130")
    }

    @Test("export, import and export again gives the same bytes, from each adapter into the other")
    func roundTrip() throws {
        let shop = try Shop()
        try shop.write(
            """
            {"id":"ü","title":"quote \\" and \\u0000 and 𝄞","rating":-9223372036854775808,"weight":0.1,"tags":["a","b"]}
            {"id":"a","title":"","weight":-0.0,"status":"GONE"}
            {"id":"550e8400-e29b-41d4-a716-446655440000","title":"x","rating":9223372036854775807,"weight":1e300}
            {"id":"550E8400-E29B-41D4-A716-446655440000","title":"y","tags":[],"status":null}
            """, to: "notes.ndjson")
        let create = "--schema schema.graphql Note"
        let outcome = try shop.shell(
            """
            tidelog import --store a --adapter lmdb \(create) notes.ndjson && tidelog export --store a Note > 1 &&
            tidelog import --store b --adapter sqlite \(create) 1 && tidelog export --store b Note > 2 &&
            tidelog import --store c --adapter lmdb \(create) 2 && tidelog export --store c Note > 3 &&
            cmp 1 2 && cmp 2 3 && wc -l < 1
            """)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.lines.last?.trimmingCharacters(in: .whitespaces) == "4")
    }
}
