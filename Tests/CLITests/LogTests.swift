import FaultHarness
import Testing
import TidelogJSON

@Suite("tidelog log, history and stats")
struct LogTests {
    @Test("each event of log --json has the documented keys")
    func events() throws {
        let shop = try Shop(notes: 1)
        _ = try shop.run("save", "Note", #"{"id":"n0","rating":7}"#, "--patch")
        _ = try shop.run("delete", "Note", "n0")
        let events = try shop.run("log", "--json").objects()
        #expect(events.map { $0["kind"]?.text } == ["schemaChanged", "saved", "saved", "deleted"])
        #expect(events.map { $0["sequence"]?.number } == [1, 2, 3, 4])
        #expect(events[0].keys == ["sequence", "commit", "kind", "origin", "at"])
        #expect(events[1].keys == ["sequence", "commit", "kind", "model", "id", "origin", "at", "record"])
        #expect(events[2]["changed"] == .array([.string("rating")]))
        #expect(events[2]["record"]?["title"]?.text == "Note 0")
        #expect(events[3]["record"] == nil)
        #expect(events[3]["id"]?.text == "n0")
        let at = events[1]["at"]?.text ?? ""
        #expect(at.count == 27 && at.hasSuffix("Z") && at.hasPrefix("20"))
    }

    @Test("--from, --limit and --model choose events, and --from beyond the head gives no events")
    func chooses() throws {
        let shop = try Shop(notes: 10)
        let sequences = { (arguments: [String]) in
            try Tool.run(["log", "--store", shop.store, "--json"] + arguments).objects().map { $0["sequence"]?.number }
        }
        #expect(try sequences(["--from", "5", "--limit", "2"]) == [5, 6])
        #expect(try sequences(["--from", "11"]) == [11])
        #expect(try sequences(["--from", "12"]) == [])
        #expect(try sequences(["--limit", "0"]) == [])
        #expect(try sequences(["--model", "Line"]) == [])
        #expect(try sequences(["--model", "Note", "--limit", "1"]) == [2])
        #expect(try shop.run("log", "--model", "Nobody").status == 2)
    }

    @Test("log --follow prints the events that another process writes, and is exit 130 after SIGINT")
    func follows() throws {
        let shop = try Shop(notes: 1)
        let child = try Tool.start(["log", "--store", shop.store, "--from", "3", "--follow", "--json"])
        for number in 1...3 {
            _ = try shop.run("save", "Note", "{\"id\":\"x\(number)\",\"title\":\"\"}")
            let line = try #require(try child.readLine())
            #expect(try JSONValue(parsing: Array(line.utf8))["id"]?.text == "x\(number)")
        }
        child.signal(2)
        #expect(try Tool.finish(child).status == 130)
    }

    @Test("history has every event of a record, the newest last, also after its deletion")
    func history() throws {
        let shop = try Shop(notes: 3)
        _ = try shop.run("save", "Note", #"{"id":"n1","title":"second"}"#)
        _ = try shop.run("delete", "Note", "n1")
        let events = try shop.run("history", "Note", "n1", "--json").objects()
        #expect(events.map { $0["kind"]?.text } == ["saved", "saved", "deleted"])
        #expect(events[1]["record"]?["title"]?.text == "second")
        #expect(try shop.run("history", "Note", "n1", "--json", "--limit", "1").objects().count == 1)
        #expect(try shop.run("history", "Note", "nobody").status == 3)
        #expect(try shop.run("history", "Note", "n1").lines.count == 3)
    }

    @Test("log and history show the values: of a new record, before and after a change, and before a deletion")
    func values() throws {
        let shop = try Shop(notes: 1)
        for patch in [
            #"{"id":"n0","rating":5,"weight":1.5}"#,
            #"{"id":"n0","tags":["a","b, c"],"weight":null,"status":"ACTIVE"}"#,
            #"{"id":"n0","title":"say \"x\"\n"}"#,
        ] { #expect(try shop.run("save", "Note", patch, "--patch").status == 0) }
        #expect(try shop.run("delete", "Note", "n0").status == 0)
        #expect(try shop.run("save", "Note", #"{"id":"n0","title":"again"}"#).status == 0)
        let wanted = [
            #"title "Note 0", rating 0"#, "rating 0 → 5, weight – → 1.5",
            #"weight 1.5 → –, tags – → ["a", "b, c"], status – → ACTIVE"#,
            #"title "Note 0" → "say \"x\"\n""#,
            #"was title "say \"x\"\n", rating 5, tags ["a", "b, c"], status ACTIVE"#, #"title "again""#,
        ]
        for lines in [try shop.run("history", "Note", "n0").lines, try shop.run("log", "--from", "2").lines] {
            #expect(lines.count == wanted.count)
            for (line, values) in zip(lines, wanted) { #expect(line.hasSuffix(" Note n0  \(values)"), "\(line)") }
        }
        let events = try shop.run("history", "Note", "n0", "--json").objects()
        #expect(events.map { $0["before"] == nil } == [true, false, false, false, false, true])
        #expect(events[1]["before"]?.keys == ["rating"] && events[1]["before"]?["rating"]?.number == 0)
        #expect(events[2]["before"]?.keys == ["weight"] && events[2]["changed"] != nil)
        #expect(events[4]["before"]?.keys == ["id", "title", "rating", "tags", "status"])
    }

    @Test("after a compaction dropped the event before, a change shows only its new values")
    func valuesAfterCompaction() throws {
        let shop = try Shop(notes: 1)
        #expect(try shop.run("save", "Note", #"{"id":"n0","rating":7}"#, "--patch").status == 0)
        #expect(try shop.run("history", "Note", "n0").lines.last?.hasSuffix("  rating 0 → 7") == true)
        #expect(try shop.run("compact").status == 0)
        let lines = try shop.run("history", "Note", "n0").lines
        #expect(lines.count == 1 && lines[0].hasSuffix("  rating → 7"), "\(lines)")
        let event = try shop.run("history", "Note", "n0", "--json").object()
        #expect(event["changed"] != nil && event["before"] == nil)
    }

    @Test("stats --json has the documented keys and values", arguments: ["lmdb", "sqlite"])
    func stats(adapter: String) throws {
        let shop = try Shop(notes: 12, adapter: adapter)
        let stats = try shop.run("stats", "--json").object()
        #expect(
            stats.keys == [
                "head", "floor", "events", "adapter", "durability", "checkpoint", "models", "consumers", "bytes",
            ])
        #expect(stats["head"]?.number == 13)
        #expect(stats["floor"]?.number == 0)
        #expect(stats["events"]?.number == 13)
        #expect(stats["checkpoint"]?.number == 13)
        #expect(stats["adapter"]?.text == adapter)
        #expect(stats["durability"]?.text == "relaxed")
        #expect(stats["models"]?["Note"]?["rows"]?.number == 12)
        #expect(stats["models"]?["Line"]?["rows"]?.number == 0)
        #expect(stats["consumers"]?["outbox"]?["position"]?.number == 0)
        #expect((stats["bytes"]?.number ?? 0) > 0)
        #expect(try shop.run("stats").lines.contains { $0.hasPrefix("durability") })
    }
}
