import Testing
import TidelogJSON

@Suite("tidelog save and delete")
struct WriteTests {
    private func note(_ shop: Shop, _ id: String) throws -> String { try shop.run("get", "Note", id, "--json").output }

    @Test("save replaces the whole record, --patch only the fields given", arguments: ["lmdb", "sqlite"])
    func savesAndPatches(adapter: String) throws {
        let shop = try Shop(notes: 0, adapter: adapter)
        #expect(try shop.run("save", "Note", #"{"id":"1","title":"t","rating":1,"weight":2}"#).status == 0)
        #expect(try shop.run("save", "Note", #"{"id":"1","title":"u","rating":3}"#).status == 0)
        #expect(try note(shop, "1") == #"{"id":"1","title":"u","rating":3}"#)
        #expect(try shop.run("save", "Note", #"{"id":"1","weight":1.5,"rating":null}"#, "--patch").status == 0)
        #expect(try note(shop, "1") == #"{"id":"1","title":"u","weight":1.5}"#)
        #expect(try shop.run("save", "Note", #"{"id":"2","weight":1.5}"#, "--patch").status == 3)
        #expect(try shop.run("save", "Note", #"{"weight":1.5}"#, "--patch").status == 1)
        #expect(try shop.run("save", "Note", #"{"id":"2"}"#).status == 1)
    }

    @Test("a condition that is false is exit 4 and changes nothing")
    func conditions() throws {
        let shop = try Shop(notes: 2)
        let refused = try shop.run("save", "Note", #"{"id":"n1","title":"x"}"#, "--where", "rating > 5", "--json")
        #expect(refused.status == 4)
        #expect(try refused.error()["code"]?.text == "conditionFailed")
        #expect(try shop.run("save", "Note", #"{"id":"new","title":"x"}"#, "--where", "rating > 5").status == 4)
        #expect(try shop.run("save", "Note", #"{"id":"n1","title":"x"}"#, "--where", "rating == 1").status == 0)
        #expect(try note(shop, "n1") == #"{"id":"n1","title":"x"}"#)
        #expect(try shop.run("delete", "Note", "n0", "--where", "rating == 1").status == 4)
        #expect(try shop.run("delete", "Note", "n0", "--where", "rating == 0").status == 0)
        #expect(try shop.run("get", "Note", "n0").status == 3)
        let bad = try shop.run("save", "Note", #"{"id":"n1","title":"x"}"#, "--where", "rating >")
        #expect(bad.status == 2)
    }

    @Test("each line of standard input is one commit; with --atomic all lines are one commit, or none is saved")
    func streams() throws {
        let shop = try Shop(notes: 0)
        try shop.write(Shop.notes(0..<3) + "{}\n" + Shop.notes(3..<5), to: "lines")
        let atomic = try shop.shell("tidelog save --store shop Note - --atomic < lines")
        #expect(atomic.status == 1)
        #expect(atomic.errors.contains("Line 4"))
        #expect(try shop.run("query", "Note", "--count").output == "0")
        #expect(try shop.shell("tidelog save --store shop Note - < lines").status == 1)
        #expect(try shop.run("query", "Note", "--count").output == "3")
        try shop.write(Shop.notes(10..<14), to: "lines")
        let saved = try shop.shell("tidelog save --store shop Note - --atomic --json < lines")
        #expect(try saved.object()["saved"]?.number == 4)
        let commits = try shop.run("log", "--from", "5", "--json").objects().map { $0["commit"]?.number }
        #expect(commits == [5, 5, 5, 5])
    }

    @Test("delete with a key fails if the record is missing; delete --where deletes all records that match")
    func deletes() throws {
        let shop = try Shop(notes: 20)
        #expect(try shop.run("delete", "Note", "n3", "--json").object()["deleted"]?.number == 1)
        #expect(try shop.run("delete", "Note", "n3").status == 3)
        #expect(try shop.run("delete", "Note", "--where", "rating < 5", "--json").object()["deleted"]?.number == 9)
        #expect(try shop.run("query", "Note", "--count").output == "10")
        #expect(try shop.run("delete", "Note").status == 2)
    }
}
