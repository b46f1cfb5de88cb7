import Foundation
import Testing
import TidelogJSON

@Suite("The command line with a damaged log", .timeLimit(.minutes(5)))
struct DamagedLogTests {
    private func file(of shop: Shop) -> URL {
        URL(fileURLWithPath: shop.store).appendingPathComponent("generation-1/log/data.mdb")
    }

    private func zero(_ page: Int, of size: Int, in bytes: Data) -> Data {
        var bytes = bytes
        bytes.replaceSubrange(page * size..<(page + 1) * size, with: Data(count: size))
        return bytes
    }

    @Test(
        "export and query of a store with a damaged log print the rows and a warning, and are exit 7",
        arguments: ["lmdb", "sqlite"])
    func rowsBesideDamage(adapter: String) throws {
        let shop = try Shop(notes: 300, adapter: adapter)
        let before = try shop.run("export", "Note").lines
        #expect(before.count == 300)
        let whole = try Data(contentsOf: file(of: shop))
        let pageSize = try shop.pageSize()
        let zeroed = (0...1).map { zero($0, of: pageSize, in: whole) }
        for damaged in zeroed + [whole.prefix(whole.count / 2)] {
            try damaged.write(to: file(of: shop))
            let export = try shop.run("export", "Note")
            #expect(export.status == 7 && export.lines == before, "\(export.errors)")
            #expect(export.errors.contains("warning: ") && export.errors.contains("--salvage"))
            let query = try shop.run("query", "Note", "rating == 3", "--count")
            #expect(query.status == 7 && query.output == "30", "\(query.errors)")
            let json = try shop.run("query", "Note", "rating == 3", "--sort", "-title", "--limit", "2", "--json")
            #expect(json.status == 7 && json.lines.count == 2)
            #expect(json.errors.split(separator: "\n").count == 1)
            #expect(try json.error()["code"]?.text == "logDamaged")
            #expect(try shop.run("query", "Nte").status == 2)
        }
        try Data(count: whole.count).write(to: file(of: shop))
        let gone = try shop.run("export", "Note")
        #expect(gone.status == 7 && gone.lines.isEmpty && gone.errors.contains("error: "))
    }

    @Test("verify --salvage recovers every record, whichever page of the log is zeroed")
    func zeroedPages() throws {
        // So many records that a page has few of them.
        let pageSize = try Shop(notes: 1).pageSize()
        let count = pageSize / 10
        let shop = try Shop(notes: count)
        for number in 0..<30 {
            _ = try shop.run("save", "Note", "{\"id\":\"n\(number)\",\"title\":\"again \(number)\"}")
        }
        _ = try shop.run("delete", "Note", "n5")
        let before = try shop.run("export", "Note").lines
        #expect(before.count == count - 1)
        let whole = try Data(contentsOf: file(of: shop))
        for page in 0..<whole.count / pageSize {
            try zero(page, of: pageSize, in: whole).write(to: file(of: shop))
            let rescued = shop.file("rescued-\(page)")
            let outcome = try shop.run(
                "verify", "--salvage", rescued, "--schema", shop.file("schema.graphql"), "--json")
            #expect([0, 7].contains(outcome.status), "page \(page): \(outcome.status) \(outcome.errors)")
            let salvaged = try outcome.object()["salvaged"]
            #expect((salvaged?["kept"]?.number ?? 0) > count * 3 / 4, "page \(page): \(outcome.output)")
            #expect(try Tool.run("rebuild", "--store", rescued).status == 0, "page \(page)")
            #expect(
                try Tool.run("export", "--store", rescued, "Note").lines == before, "page \(page): \(outcome.output)")
            #expect(try Tool.run("verify", "--store", rescued).status == 0, "page \(page)")
        }
    }

    @Test("with a flipped bit in an event's key, verify and log are exit 7, and salvage copies every event")
    func flippedKey() throws {
        let shop = try Shop(notes: 60)
        let whole = try Data(contentsOf: file(of: shop))
        // In a leaf page of LMDB, the header of an entry ends with the length of the key, and the key follows. The
        // bytes below are that length, which is 8, and the key of event 31.
        let key = Data([8, 0, 31, 0, 0, 0, 0, 0, 0, 0])
        for bit in [0, 5, 13, 39, 63] {
            var bytes = whole
            while let range = bytes.range(of: key) { bytes[range.lowerBound + 2 + bit / 8] ^= 1 << UInt8(bit % 8) }
            #expect(bytes != whole)
            try bytes.write(to: file(of: shop))
            let checked = try shop.run("verify", "--json")
            #expect(checked.status == 7, "bit \(bit): \(checked.status) \(checked.errors)")
            let outcome = try shop.run("verify", "--salvage", shop.file("rescued-\(bit)"), "--json")
            #expect(outcome.status == 7, "bit \(bit): \(outcome.status) \(outcome.errors)")
            let salvaged = try outcome.object()["salvaged"]
            #expect(salvaged?["kept"]?.number == 61 && salvaged?["gaps"]?.elements.isEmpty == true, "bit \(bit)")
            #expect(try shop.run("log", "--json").status == 7)
        }
    }

    @Test("salvage of a log that lost its schema asks for --schema, and recovers all records with the schema")
    func lostSchema() throws {
        let shop = try Shop(notes: 20)
        var bytes = try Data(contentsOf: file(of: shop))
        while let range = bytes.range(of: Data("byRating".utf8)) { bytes[range.lowerBound] ^= 1 }
        try bytes.write(to: file(of: shop))
        let outcome = try shop.run("verify", "--salvage", shop.file("rescued"))
        #expect(outcome.status == 7 && outcome.errors.contains("--schema FILE"), "\(outcome.errors)")
        let schema = shop.file("schema.graphql")
        let saved = try shop.run("verify", "--salvage", shop.file("rescued"), "--schema", schema)
        #expect(saved.status == 7 && saved.output.contains("another is in its place"), "\(saved.errors)")
        #expect(try Tool.run("rebuild", "--store", shop.file("rescued")).status == 0)
        #expect(try Tool.run("query", "--store", shop.file("rescued"), "Note", "--count").output == "20")
        #expect(try shop.run("verify", "--schema", schema).status == 2)
    }

    @Test("salvage of a log without any events fails, suggests a backup, and does not suggest salvage again")
    func nothingLeft() throws {
        let shop = try Shop(notes: 20)
        let rows = URL(fileURLWithPath: shop.store).appendingPathComponent("generation-1/rows-1")
        try FileManager.default.removeItem(at: rows)
        try FileManager.default.removeItem(atPath: shop.store + "/generation-1/log/tail-1")
        try Data(count: 40_960).write(to: file(of: shop))
        let outcome = try shop.run("verify", "--salvage", shop.file("rescued"), "--json")
        #expect(outcome.status == 7)
        #expect(try outcome.error()["recovery"]?.text?.contains("backup") == true, "\(outcome.errors)")
        #expect(!outcome.errors.contains("--salvage"))
        #expect(!FileManager.default.fileExists(atPath: shop.file("rescued")))
    }
}
