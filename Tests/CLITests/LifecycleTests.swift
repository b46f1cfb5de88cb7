import Foundation
import Testing
import TidelogJSON

@Suite("tidelog verify, rebuild, compact, backup and clear")
struct LifecycleTests {
    private func hash(_ store: String) throws -> String? {
        try Tool.run("verify", "--store", store, "--json").object()["stateHash"]?.text
    }

    @Test("verify --json has the documented keys, and is exit 0 if the store is whole", arguments: ["lmdb", "sqlite"])
    func verifies(adapter: String) throws {
        let shop = try Shop(notes: 50, adapter: adapter)
        let outcome = try shop.run("verify", "--json")
        #expect(outcome.status == 0)
        let report = try outcome.object()
        #expect(report.keys == ["ok", "events", "damaged", "projection", "stateHash"])
        #expect(report["ok"]?.flag == true)
        #expect(report["events"]?.number == 51)
        #expect(report["damaged"]?.elements.isEmpty == true)
        #expect(report["projection"]?.text == "equal")
        #expect(report["stateHash"]?.text?.count == 16)
        #expect(try shop.run("verify").output.contains("state hash"))
    }

    /// Flips a bit at every place that holds `text` in a file of the store, by default in the file of the log.
    private func damage(_ shop: Shop, _ name: String = "log/data.mdb", at text: String) throws {
        let file = URL(fileURLWithPath: shop.store).appendingPathComponent("generation-1").appendingPathComponent(name)
        var bytes = try Data(contentsOf: file)
        // Free pages may hold the text too, so the loop changes every occurrence.
        var count = 0
        while let range = bytes.range(of: Data(text.utf8)) {
            bytes[range.lowerBound] ^= 1
            count += 1
        }
        #expect(count > 0)
        try bytes.write(to: file)
    }

    @Test("verify names a damaged event and is exit 7, and salvage copies the other events")
    func damagedEvent() throws {
        let shop = try Shop(notes: 50)
        try damage(shop, at: "Note 30")
        let outcome = try shop.run("verify", "--json")
        #expect(outcome.status == 7)
        let report = try outcome.object()
        #expect(report["ok"]?.flag == false)
        #expect(report["damaged"]?.elements.map { $0["sequence"]?.number } == [32])
        #expect(report["damaged"]?.elements.first?.keys == ["sequence", "reason"])
        let log = try shop.run("log", "--json")
        #expect(log.status == 7)
        #expect(try log.error()["code"]?.text == "logDamaged")

        let salvage = try shop.run("verify", "--json", "--salvage", shop.file("rescued"))
        #expect(salvage.status == 7)
        let rescued = try salvage.object()["salvaged"]
        #expect(rescued?["damaged"]?.number == 1)
        #expect(rescued?["kept"]?.number == 50)
        #expect(rescued?["chainEnd"]?.number == 31)
        #expect(rescued?["gaps"]?.elements.map { [$0["from"]?.number, $0["to"]?.number] } == [[32, 32]])
        // The rows still have the record of the damaged event, and salvage copies the record from them.
        #expect(rescued?["records"]?.number == 1)
        #expect(try Tool.run("rebuild", "--store", shop.file("rescued")).status == 0)
        #expect(try Tool.run("verify", "--store", shop.file("rescued")).status == 0)
        #expect(try Tool.run("query", "--store", shop.file("rescued"), "Note", "--count").output == "50")
    }

    @Test("verify of a badly damaged log prints one error and is exit 7, and does not crash")
    func damagedMap() throws {
        let shop = try Shop(notes: 20_000)
        let file = URL(fileURLWithPath: shop.store).appendingPathComponent("generation-1/log/data.mdb")
        var bytes = try Data(contentsOf: file)
        // Changes every 61st byte after the two meta pages.
        for index in stride(from: 2 * (try shop.pageSize()), to: bytes.count, by: 61) { bytes[index] = 0xFF }
        try bytes.write(to: file)
        let outcome = try shop.run("verify", "--json")
        #expect(outcome.status == 7, "\(outcome.errors)")
        #expect(outcome.lines.isEmpty)
        // The tool prints one line, and nothing that a crash would print.
        #expect(outcome.errors.split(separator: "\n").count == 1)
        #expect(try outcome.error()["code"]?.text?.lowercased().contains("damaged") == true)
        let people = try shop.run("verify")
        #expect(people.status == 7)
        #expect(people.errors.hasPrefix("error: ") && people.errors.contains("--salvage"))
    }

    @Test(
        "a command that reads damaged rows recreates them or fails without a crash, and rebuild repairs them",
        arguments: ["query Note", "get Note n7", "export Note", "query Note 'rating == 3'", "stats"])
    func damagedRows(command: String) throws {
        let shop = try Shop(notes: 5_000)
        let generation = URL(fileURLWithPath: shop.store).appendingPathComponent("generation-1")
        var (refusedCount, recreatedCount) = (0, 0)
        let pageSize = try shop.pageSize()
        for (first, step) in [(2, 1), (9, 40), (60, 1_000), (130, 1_000), (200, 30)] {
            for (range, value) in [(16..<256, UInt8(0xFF)), (0..<pageSize, 0), (8..<pageSize, 0xFF), (10..<12, 0x04)] {
                // If the store finds the damage when it opens the rows, it recreates them in a directory with the next
                // number.
                let names = try FileManager.default.contentsOfDirectory(atPath: generation.path)
                let number = names.compactMap { Int($0.dropFirst("rows-".count)) }.max() ?? 0
                let rows = generation.appendingPathComponent("rows-\(number)/data.mdb")
                let whole = try Data(contentsOf: rows)
                var bytes = whole
                for page in stride(from: first, to: bytes.count / pageSize, by: step) {
                    for index in range { bytes[page * pageSize + index] = value }
                }
                try bytes.write(to: rows)
                let words = command.split(separator: " ", maxSplits: 1).map(String.init)
                let outcome = try shop.shell("tidelog \(words[0]) --store shop \(words.dropFirst().joined())")
                let name = "\(first) \(step) \(range) \(value): \(outcome.status) \(outcome.errors)"
                let isRecreated = !FileManager.default.fileExists(atPath: rows.path)
                if isRecreated { recreatedCount += 1 } else { try whole.write(to: rows) }
                #expect(!isRecreated || outcome.status == 0, "\(name)")
                #expect([0, 1, 7].contains(outcome.status), "\(name)")
                guard outcome.status == 7 else { continue }
                refusedCount += 1
                let says = outcome.errors.contains("tidelog rebuild") || outcome.errors.contains("tidelog verify")
                #expect(outcome.errors.contains("error: ") && says, "\(name)")
            }
        }
        #expect(refusedCount + recreatedCount > 0)
        #expect(try shop.run("rebuild").status == 0)
        #expect(try shop.run("query", "Note", "--count").output == "5000")
    }

    @Test("log and stats of a badly damaged log print an error and do not crash")
    func damagedLog() throws {
        let shop = try Shop(notes: 20_000)
        let file = URL(fileURLWithPath: shop.store).appendingPathComponent("generation-1/log/data.mdb")
        var bytes = try Data(contentsOf: file)
        for index in stride(from: 2 * (try shop.pageSize()), to: bytes.count, by: 61) { bytes[index] = 0xFF }
        try bytes.write(to: file)
        for command in ["log", "stats"] {
            let outcome = try shop.run(command)
            #expect([1, 7].contains(outcome.status), "\(command): \(outcome.status) \(outcome.errors)")
            #expect(outcome.errors.contains("error: "))
        }
    }

    @Test(
        "verify is exit 7 if rows differ; rebuild repairs them, and may also switch to another adapter",
        arguments: [("lmdb", "rows-1/data.mdb", "sqlite"), ("sqlite", "rows-1/rows.sqlite", "lmdb")])
    func rebuilds(adapter: String, file: String, other: String) throws {
        let shop = try Shop(notes: 50, adapter: adapter)
        let before = try hash(shop.store)
        try damage(shop, file, at: "Note 30")
        let differing = try shop.run("verify", "--json")
        #expect(differing.status == 7)
        #expect(try differing.object()["projection"]?.text == "differs")
        #expect(try differing.object()["damaged"]?.elements.isEmpty == true)
        #expect(try differing.object()["stateHash"]?.text != before)
        #expect(try shop.run("rebuild").status == 0)
        #expect(try shop.run("verify").status == 0)
        #expect(try hash(shop.store) == before)
        #expect(try shop.run("rebuild", "--adapter", other).status == 0)
        #expect(try shop.run("stats", "--json").object()["adapter"]?.text == other)
        #expect(try hash(shop.store) == before)
        #expect(try shop.run("query", "Note", "rating == 3", "--count").output == "5")
        #expect(try shop.run("query", "Note", "--adapter", adapter).status == 2)
    }

    @Test(
        "compact drops superseded events except unsent changes of a synced store; no record changes",
        arguments: [("local", 40), ("remote", 0)])
    func compacts(origin: String, droppedCount: Int) throws {
        let shop = try Shop(notes: 40)
        try shop.write(Shop.notes(0..<40).replacing("Note", with: "Changed"), to: "changed.ndjson")
        // After records of a server have arrived, the first changes are still to be sent to it.
        _ = try shop.run("import", "--origin", origin, "Note", shop.file("changed.ndjson"))
        let before = try shop.run("export", "Note").lines
        let all = try shop.run("compact", "--retain", "all", "--json").object()
        #expect(all["dropped"]?.number == 0)
        let outcome = try shop.run("compact", "--retain", "latest", "--shrink", "--json")
        #expect(outcome.status == 0)
        #expect(outcome.lines.count == 1)
        #expect(try outcome.object()["dropped"]?.number == droppedCount)
        #expect(try shop.run("compact", "--json").object()["dropped"]?.number == 0)
        #expect(try shop.run("export", "Note").lines == before)
        let report = try shop.run("verify", "--json").object()
        #expect(report["ok"]?.flag == true)
        #expect(report["events"]?.number == 81 - droppedCount)
    }

    @Test("backup makes a complete copy that can be used like a store, and never overwrites a store")
    func backs() throws {
        let shop = try Shop(notes: 30)
        let copy = shop.file("copy")
        #expect(try shop.run("backup", copy).status == 0)
        let again = try shop.run("backup", copy, "--json")
        #expect(again.status == 1)
        #expect(try again.error()["code"]?.text == "alreadyExists")
        _ = try shop.run("delete", "Note", "n1")
        // The first command that reads the copy builds the rows of the copy.
        #expect(try Tool.run("query", "--store", copy, "Note", "--count").output == "30")
        #expect(try Tool.run("verify", "--store", copy, "--json").object()["projection"]?.text == "equal")
        #expect(try Tool.run("save", "--store", copy, "Note", #"{"id":"own","title":""}"#).status == 0)
        #expect(try Tool.run("query", "--store", copy, "Note", "--count").output == "31")
        #expect(try Tool.run("verify", "--store", copy).status == 0)
    }

    @Test("clear empties a store only with --yes; the schema stays")
    func clears() throws {
        let shop = try Shop(notes: 5)
        #expect(try shop.run("clear").status == 2)
        #expect(try shop.run("query", "Note", "--count").output == "5")
        #expect(try shop.run("clear", "--yes").status == 0)
        #expect(try shop.run("query", "Note", "--count").output == "0")
        #expect(try shop.run("stats", "--json").object()["events"]?.number == 1)
        #expect(try shop.run("import", "Note", shop.file("notes.ndjson")).status == 0)
        #expect(try shop.run("query", "Note", "--count").output == "5")
    }
}
