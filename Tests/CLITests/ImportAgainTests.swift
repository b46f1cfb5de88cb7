import FaultHarness
import Foundation
import Testing
import TidelogJSON
import TidelogPlatform

@Suite("tidelog import that is run again")
struct ImportAgainTests {
    private func head(_ shop: Shop) throws -> Int { try shop.run("stats", "--json").object()["head"]?.number ?? -1 }

    @Test(
        "an import that was killed and is run again appends only the missing records",
        arguments: ["lmdb", "sqlite"])
    func goesOn(adapter: String) throws {
        let shop = try Shop()
        let total = 20_000
        try shop.write(Shop.notes(0..<total), to: "notes.ndjson")
        let child = try Tool.start([
            "import", "--store", shop.store, "--schema", shop.file("schema.graphql"), "--adapter", adapter, "--batch",
            "100",
            "--ack", "Note", shop.file("notes.ndjson"),
        ])
        for _ in 0..<3 { _ = try child.readLine() }
        child.signal(SIGKILL)
        #expect(try Tool.finish(child).status == -SIGKILL)
        let before = try head(shop) - 1
        #expect(before >= 300 && before < total)

        let again = try shop.run("import", "--json", "Note", shop.file("notes.ndjson"))
        #expect(
            again.output
                == #"{"imported":\#(total - before),"unchanged":\#(before),"skipped":0,"sequence":\#(total + 1)}"#)
        #expect(try head(shop) == total + 1)
        #expect(try shop.run("query", "Note", "--count").output == "\(total)")

        let third = try shop.run("import", "Note", shop.file("notes.ndjson"))
        #expect(
            third.errors.hasPrefix("✓ 0 records of Note in ") && third.errors.contains(", 20,000 were there already"))
        #expect(try head(shop) == total + 1)
        #expect(try shop.run("verify").status == 0)
    }

    @Test("import saves only records whose values differ; if a record has several lines, the last line counts")
    func savesDifferences() throws {
        let shop = try Shop(notes: 10)
        try shop.write(
            Shop.notes(0..<4) + #"{"id":"n4","title":"other"}"# + "\n" + #"{"id":"n5","rating":5,"title":"Note 5"}"#
                + "\n"
                + Shop.notes(6..<12) + #"{"id":"n11","title":"last"}"# + "\n", to: "notes.ndjson")
        let outcome = try shop.run("import", "--json", "--batch", "3", "Note", shop.file("notes.ndjson"))
        #expect(outcome.output == #"{"imported":4,"unchanged":9,"skipped":0,"sequence":15}"#)
        #expect(try shop.run("get", "Note", "n4", "--json").output == #"{"id":"n4","title":"other"}"#)
        #expect(try shop.run("get", "Note", "n11", "--json").output == #"{"id":"n11","title":"last"}"#)
        try shop.write(#"{"id":"n1","title":"Note 1","rating":1}"# + "\n", to: "one")
        #expect(try shop.run("import", "Note", shop.file("one")).errors.contains(", 1 was there already"))
    }

    @Test("a record that was deleted is imported again")
    func deleted() throws {
        let shop = try Shop(notes: 3)
        #expect(try shop.run("delete", "Note", "n1").status == 0)
        let outcome = try shop.run("import", "--json", "Note", shop.file("notes.ndjson"))
        #expect(outcome.output == #"{"imported":1,"unchanged":2,"skipped":0,"sequence":6}"#)
    }

    @Test("a record of an earlier schema counts as unchanged if the new schema only adds fields")
    func laterSchema() throws {
        let shop = try Shop(notes: 5)
        try shop.write(
            Shop.schema.replacing("status: Status", with: "status: Status\n  more: String\n  number: Int"),
            to: "more.graphql")
        let outcome = try shop.run(
            "import", "--json", "--schema", shop.file("more.graphql"), "Note", shop.file("notes.ndjson"))
        #expect(outcome.output == #"{"imported":0,"unchanged":5,"skipped":0,"sequence":7}"#, "\(outcome.errors)")
    }

    @Test("--ack counts the lines of unchanged records too, and prints the sequence number of the log's end")
    func acknowledges() throws {
        let shop = try Shop(notes: 4)
        try shop.write(Shop.notes(0..<6), to: "notes.ndjson")
        let outcome = try shop.run("import", "--batch", "2", "--ack", "Note", shop.file("notes.ndjson"))
        #expect(
            outcome.lines == [
                #"{"acknowledged":2,"sequence":5}"#, #"{"acknowledged":4,"sequence":5}"#,
                #"{"acknowledged":6,"sequence":7}"#,
            ])
    }

    @Test("an import of a wrong model or of a file in another format creates no store and changes no schema")
    func leavesNothing() throws {
        let shop = try Shop()
        try shop.write(Shop.notes(0..<1), to: "notes.ndjson")
        try shop.write("[{\"id\":\"1\",\"title\":\"t\"}]\n", to: "list.json")
        let schema = ["--schema", shop.file("schema.graphql")]
        let wrong = try Tool.run(["import", "--store", shop.store] + schema + ["Notes", shop.file("notes.ndjson")])
        #expect(wrong.status == 2)
        #expect(wrong.errors.contains("The schema has no model Notes; did you mean \"Note\"?"))
        let list = try Tool.run(["import", "--store", shop.store] + schema + ["Note", shop.file("list.json")])
        #expect(list.status == 1)
        #expect(!FileManager.default.fileExists(atPath: shop.store))

        #expect(try Tool.run(["init", "--store", shop.store] + schema).status == 0)
        try shop.write(Shop.schema + "\ntype More @model { id: ID! }\n", to: "more.graphql")
        let other = try shop.run("import", "--schema", shop.file("more.graphql"), "Mor", shop.file("notes.ndjson"))
        #expect(other.status == 2)
        #expect(try head(shop) == 1)
    }
}
