import Foundation
import SeededNumbers
import TestStores
import Testing
import Tidelog

@testable import TidelogCore

@Suite("Salvage of a damaged log", .timeLimit(.minutes(20)))
struct SalvageTests {
    private func zeroed(_ file: Data, _ pages: [Int]) -> (file: Data, ranges: [Range<Int>]) {
        var file = file
        let ranges = pages.map { $0 * SalvageScene.pageSize..<($0 + 1) * SalvageScene.pageSize }
        for range in ranges { file.replaceSubrange(range, with: Data(count: range.count)) }
        return (file, ranges)
    }

    /// Checks the result of a salvage of `scene` in which the bytes in `ranges` were lost.
    private func check(_ saved: SalvageScene.Saved, of scene: SalvageScene, lost ranges: [Range<Int>]) {
        let expected = scene.survivors(outside: ranges)
        let (name, report) = (saved.name, saved.report)
        #expect(expected.isSubset(of: saved.copied.keys), "\(name): \(expected.subtracting(saved.copied.keys))")
        // Every copied event was once in the log. Salvage may also find events that the compaction dropped.
        for (sequence, bytes) in saved.copied { #expect(scene.history[sequence] == bytes, "\(name): \(sequence)") }
        let lost = Set(scene.live.keys).subtracting(saved.copied.keys)
        if report.shortcomings.isEmpty {
            #expect(report.gaps == scene.gaps(without: Set(saved.copied.keys)), "\(name)")
            // Below the floor, salvage only knows how many events were kept. An event that the compaction dropped and
            // that salvage finds makes up for a lost event in this count.
            let foundAgain = saved.copied.keys.count { $0 <= scene.floor && scene.live[$0] == nil }
            let lostBelow = lost.count { $0 <= scene.floor }
            let counted = lost.count - lostBelow + max(0, lostBelow - foundAgain)
            #expect(
                report.damagedCount + report.missingCount == counted, "\(name): \(report), lost \(lost.sorted())")
            let firstLost = report.gaps.first?.lowerBound.value ?? scene.head + 1
            #expect(report.chainEnd.value == firstLost - 1, "\(name)")
        }
        #expect(saved.made.count == report.added, "\(name)")
    }

    @Test(
        "a zeroed page loses only its own events, and salvage restores their records from the rows",
        arguments: Adapter.persistent)
    func everyPage(adapter: Adapter) async throws {
        let scene = try await SalvageScene(adapter)
        var lossCount = 0
        for page in 0..<scene.file.count / SalvageScene.pageSize {
            let (file, ranges) = zeroed(scene.file, [page])
            // The page may contain all schemas of the log, so the salvage gets a schema.
            let saved = try await scene.salvage(file, "page-\(page)", schema: widerItemSchema)
            check(saved, of: scene, lost: ranges)
            #expect(saved.hash == scene.hash, "page \(page): \(saved.report)")
            if !saved.report.isComplete { lossCount += 1 }
        }
        #expect(lossCount > 5)
    }

    @Test("salvage of a whole log copies its events exactly, without dropped events and events of a failed append")
    func whole() async throws {
        let scene = try await SalvageScene()
        // A new last page has two forged events. The first has the number of an event of the log, and the second has
        // the number after the last event.
        var file = scene.file
        var page = Data(count: SalvageScene.pageSize)
        var place = 32
        for number in [scene.head - 3, scene.head + 1] {
            let bytes = forged(scene, number)
            page.replaceSubrange(place..<place + bytes.count, with: bytes)
            place += bytes.count + bytes.count % 2
        }
        file.append(page)
        let saved = try await scene.salvage(file, "whole")
        #expect(saved.report.isComplete && saved.report.gaps.isEmpty)
        #expect(saved.copied == scene.live)
        #expect(saved.hash == scene.hash)
        // Without the trees, the chain shows which of two events with one number belongs to the log.
        let (treeless, _) = zeroed(file, [0, 1])
        let again = try await scene.salvage(treeless, "treeless", withRows: false)
        for (sequence, bytes) in again.copied where sequence <= scene.head {
            #expect(scene.history[sequence] == bytes, "\(sequence)")
        }
        #expect(Set(scene.live.keys).isSubset(of: again.copied.keys))
    }

    /// Forges an event that follows the event before `number`, and that the log never had.
    private func forged(_ scene: SalvageScene, _ number: UInt64) -> [UInt8] {
        let before = scene.live[number - 1] ?? []
        var bytes = scene.live[scene.head] ?? []
        let chain = before.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self) }
        bytes.replaceSubrange(16..<24, with: number.littleEndianBytes)
        // The forged event is a commit of its own.
        bytes.replaceSubrange(48..<52, with: [0, 0, 0, 0])
        bytes[62] |= 1
        let seal = bytes.dropFirst(16).withUnsafeBytes {
            Checksum.seal(body: UnsafeRawBufferPointer($0), length: UInt32(bytes.count), after: chain)
        }
        bytes.replaceSubrange(4..<8, with: seal.checksum.littleEndianBytes)
        bytes.replaceSubrange(8..<16, with: seal.chain.littleEndianBytes)
        return bytes
    }

    @Test("a flipped bit in an event's key, length or page loses no event in a salvage, and causes no crash")
    func flippedKeys() async throws {
        let scene = try await SalvageScene()
        // The test uses an event below the floor, one above the floor, the last event, and an event that has its own pages.
        let long = scene.live.filter { $0.value.count > 5_000 && $0.key > scene.floor }.keys.min() ?? 0
        let short = scene.live.filter { $0.value.count < 1_000 }.keys.sorted()
        for number in [short[short.count / 5], short[short.count / 2], scene.head, long] {
            // The bytes before a copy are the key of a live event, or no live event depends on them.
            for (copy, place) in (scene.places[number] ?? []).prefix(3).enumerated() {
                for bit in stride(from: copy, to: 128, by: copy == 0 ? 5 : 25) {
                    var file = scene.file
                    file[place.lowerBound - 16 + bit / 8] ^= 1 << UInt8(bit % 8)
                    let saved = try await scene.salvage(
                        file, "\(number)-\(place.lowerBound)-\(bit)", withRows: false, opens: false)
                    #expect(
                        Set(scene.live.keys).isSubset(of: saved.copied.keys) && saved.report.gaps.isEmpty,
                        "event \(number), bit \(bit) before \(place.lowerBound): \(saved.report)")
                    for (sequence, bytes) in saved.copied { #expect(scene.history[sequence] == bytes) }
                }
            }
        }
    }

    @Test("if any pages are zeroed, salvage copies all other events, and only events that the log had")
    func manyPages() async throws {
        let scene = try await SalvageScene()
        let count = scene.file.count / SalvageScene.pageSize
        var random = SeededGenerator(21)
        for round in 0..<30 {
            let pages =
                round == 0
                ? [0, 1] : (0..<count).filter { _ in Int.random(in: 0..<max(2, 14 - round), using: &random) == 0 }
            let (file, ranges) = zeroed(scene.file, pages)
            let expected = scene.survivors(outside: ranges)
            do {
                let saved = try await scene.salvage(file, "many-\(round)", withRows: false, schema: itemSchema)
                #expect(expected.isSubset(of: saved.copied.keys), "pages \(pages)")
                for (sequence, bytes) in saved.copied { #expect(scene.history[sequence] == bytes, "pages \(pages)") }
            } catch let error as DataStoreError where error.code == .logDamaged {
                #expect(expected.isEmpty, "pages \(pages): \(error)")
            }
        }
    }

    @Test("salvage of a cut, overwritten or bit-flipped log copies only events that the log had, and does not crash")
    func anyDamage() async throws {
        let scene = try await SalvageScene()
        var random = SeededGenerator(9)
        for round in 0..<60 {
            var file = scene.file
            switch round % 3 {
            case 0: file.removeLast(Int.random(in: 1..<file.count, using: &random))
            case 1:
                for _ in 0..<200 {
                    file[Int.random(in: 0..<file.count, using: &random)] ^= 1 << UInt8.random(in: 0..<8, using: &random)
                }
            default:
                let start = Int.random(in: 0..<file.count, using: &random)
                for index in start..<min(file.count, start + 9_000) {
                    file[index] = UInt8.random(in: 0...255, using: &random)
                }
            }
            do {
                let saved = try await scene.salvage(
                    file, "any-\(round)", withRows: false, opens: false, schema: itemSchema)
                for (sequence, bytes) in saved.copied where sequence <= scene.head {
                    let isMade = try bytes.withUnsafeBytes { try EventView($0).flags.contains(.salvaged) }
                    #expect(isMade || scene.history[sequence] == bytes, "round \(round)")
                }
            } catch let error as DataStoreError where error.code == .logDamaged {
                #expect(round % 3 == 0, "round \(round): \(error)")
            }
        }
    }

    @Test("a salvaged store keeps the server states, and sends only local changes to the server")
    func serverStates() async throws {
        let scratch = try Scratch()
        let adapter = Adapter(factory: .lmdb())
        let store = try await scratch.open(adapter)
        for id in 0..<4 {
            try await store.write {
                try $0.append(received: item("s\(id)", "theirs"), server: ServerState(version: UInt64(id)))
            }
        }
        try await store.save(item("mine", "not sent yet"))
        let lost = try store.allEvents().filter { $0.sequence > SequenceNumber(2) }.map(\.bytes)
        try await store.close()
        try flip(lost, in: scratch.path())
        let report = try await StoreFiles.salvage(
            from: scratch.path(), to: scratch.path("saved"), adapter: adapter.factory)
        #expect(report.recordCount == 4 && report.noteCount == 3 && report.keptCount == 2)
        let saved = try await scratch.open(adapter, "saved", schema: nil)
        for id in 0..<4 { #expect(try await saved.serverState("s\(id)")?.version == UInt64(id)) }
        #expect(try await saved.title("mine") == "not sent yet")
        let asking = try saved.allEvents().filter(\.asksForMutation)
        #expect(asking.map(\.recordID) == [RecordID("mine")])
        #expect(asking.filter { !$0.isSalvaged }.isEmpty)
        #expect(try await saved.verify().isWhole)
        try await saved.compact(tombstoneAge: .zero)
        #expect(try await saved.count(Record.all(of: "Item")) == 5)
        try await saved.close()
    }

    @Test("salvage takes no event from the tail of another store")
    func tailOfAnotherStore() async throws {
        let scratch = try Scratch()
        let adapter = Adapter(factory: .lmdb())
        let mine = try await scratch.open(adapter, "mine")
        for id in 0..<3 { try await mine.save(item("m\(id)", "mine")) }
        try await mine.close()
        let theirs = try await scratch.open(adapter, "theirs")
        for id in 0..<9 { try await theirs.save(item("t\(id)", "theirs")) }
        let tail = "generation-1/log/tail-1"
        let file = scratch.path("mine").appending(path: tail)
        try? FileManager.default.removeItem(at: file)
        try FileManager.default.copyItem(at: scratch.path("theirs").appending(path: tail), to: file)
        try await theirs.close()
        await #expect(throws: DataStoreError.self) { _ = try await scratch.open(adapter, "mine") }
        _ = try await StoreFiles.salvage(
            from: scratch.path("mine"), to: scratch.path("saved"), adapter: adapter.factory)
        let saved = try await scratch.open(adapter, "saved", schema: nil)
        #expect(try await saved.fetch(Record.all(of: "Item")).map { $0["title"] } == ["mine", "mine", "mine"])
        #expect(try await saved.verify().isWhole)
        try await saved.close()
    }

    @Test("a log that lost its only schema can be salvaged with its original schema, and with no other schema")
    func lostSchema() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(Adapter(factory: .lmdb()))
        for id in 0..<5 { try await store.save(item("r\(id)", "t")) }
        let schemaEvent = try store.allEvents()[0].bytes
        try await store.close()
        try flip([schemaEvent], in: scratch.path())
        let without = await #expect(throws: DataStoreError.self) {
            try await StoreFiles.salvage(from: scratch.path(), to: scratch.path("saved"))
        }
        #expect(without?.code == .logDamaged)
        #expect(without?.recovery.contains("--schema") ?? false)
        #expect(!FileManager.default.fileExists(atPath: scratch.path("saved").path))
        let other = await #expect(throws: DataStoreError.self) {
            try await StoreFiles.salvage(
                from: scratch.path(), to: scratch.path("saved"), schema: noteSchemaWithOtherKey)
        }
        #expect(other?.code == .invalidSchema)
        let report = try await StoreFiles.salvage(from: scratch.path(), to: scratch.path("saved"), schema: itemSchema)
        #expect(report.keptCount == 5 && report.replacedSchemas == [1])
        let saved = try await scratch.open(Adapter(factory: .lmdb()), "saved")
        #expect(try await saved.count(Record.all(of: "Item")) == 5)
        #expect(try await saved.verify().isWhole)
        try await saved.close()
    }

    /// A model that has a different primary key.
    private var noteSchemaWithOtherKey: Schema {
        Schema(models: [
            ModelSchema(
                name: "Item",
                fields: [
                    FieldSchema("title", .string, isRequired: true), FieldSchema("id", .id, isRequired: true),
                ], primaryKey: ["id"])
        ])
    }

    @Test("salvage refuses a log without events and a log that is open, and creates nothing")
    func refusals() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        let open = await #expect(throws: DataStoreError.self) {
            try await StoreFiles.salvage(from: scratch.path(), to: scratch.path("saved"))
        }
        #expect(open?.code == .locked)
        try await store.close()
        try Data(count: 40_960).write(to: scratch.path().appending(path: SalvageScene.logFile))
        let empty = await #expect(throws: DataStoreError.self) {
            try await StoreFiles.salvage(from: scratch.path(), to: scratch.path("saved"))
        }
        #expect(empty?.code == .logDamaged)
        #expect(empty?.recovery.contains("verify") == false)
        #expect(!FileManager.default.fileExists(atPath: scratch.path("saved.new").path))
    }
}

/// Flips a bit in every copy of the events in the file of the log.
func flip(_ events: [[UInt8]], in store: URL) throws {
    let path = store.appending(path: SalvageScene.logFile)
    var file = try Data(contentsOf: path)
    for event in events {
        let bytes = Data(event)
        var count = 0
        while let range = file.range(of: bytes) {
            file[range.lowerBound + bytes.count / 2] ^= 1
            count += 1
        }
        #expect(count > 0)
    }
    try file.write(to: path)
}
