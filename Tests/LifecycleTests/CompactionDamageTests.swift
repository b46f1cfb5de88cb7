import Foundation
import SeededNumbers
import TestStores
import Testing
import Tidelog

@testable import TidelogCore

@Suite("Compaction of a log whose rows are wrong")
struct CompactionDamageTests {
    /// The offsets of `bytes` in `file`.
    private func places(of bytes: [UInt8], in file: Data) -> [Int] {
        var places: [Int] = []
        var start = file.startIndex
        while let range = file[start...].range(of: Data(bytes)) {
            places.append(range.lowerBound)
            start = range.lowerBound + 1
        }
        return places
    }

    @Test(
        "a flipped bit in a row's key loses no record: the log keeps the event, and a rebuild restores the row",
        arguments: Adapter.persistent)
    func flippedKey(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        for round in 0..<3 {
            try await store.write { tx in
                for id in 0..<60 { try tx.save(item("record-\(id)", "t\(round)", rank: Int64(id))) }
            }
        }
        try await store.close()
        let name = adapter.factory.name == "lmdb" ? "data.mdb" : "rows.sqlite"
        let rows = "generation-1/rows-1/" + name
        // The text component of a key (FORMATS, section 5).
        let key = [0x12] + Array("record-42".utf8) + [0x00]
        let whole = try Data(contentsOf: scratch.path().appending(path: rows))
        let found = places(of: key, in: whole)
        #expect(!found.isEmpty)
        var refusedCount = 0
        for (index, place) in found.enumerated() {
            for bit in [0, 6] {
                let copy = "copy-\(index)-\(bit)"
                try FileManager.default.copyItem(at: scratch.path(), to: scratch.path(copy))
                var bytes = whole
                bytes[place + 5] ^= 1 << UInt8(bit)
                try bytes.write(to: scratch.path(copy).appending(path: rows))
                let store = try await scratch.open(adapter, copy)
                do {
                    try await store.compact()
                } catch let error as DataStoreError {
                    #expect(error.code == .damaged)
                    refusedCount += 1
                    try await store.compact()
                    #expect(try await store.verify().isWhole)
                }
                let kept = try store.allEvents().filter { $0.recordID == RecordID("record-42") }
                #expect(kept.map(\.sequence.value) == [2 * 60 + 44], "\(copy)")
                try await store.rebuild()
                #expect(try await store.title("record-42") == "t2", "\(copy)")
                #expect(try await store.count(Record.all(of: "Item")) == 60)
                try await store.close()
            }
        }
        #expect(refusedCount > 0)
    }

    @Test(
        "compaction keeps exactly the events that the plain retention rule keeps", arguments: Adapter.all,
        [false, true])
    func plainRule(adapter: Adapter, hasServer: Bool) async throws {
        for seed in 1...(adapter.factory.isPersistent ? 4 : 20) as ClosedRange<UInt64> {
            let scratch = try Scratch()
            let store = try await scratch.open(adapter)
            var history = RandomHistory(store, seed: seed, hasServer: hasServer)
            for round in 0..<3 {
                try await history.run(50)
                let isAged = (seed + UInt64(round)) % 2 == 0
                let expected = try PlainRetention(store, isAged: isAged).kept
                try await store.compact(tombstoneAge: isAged ? .zero : .seconds(3_600))
                #expect(try store.allEvents().map(\.sequence) == expected, "seed \(seed), round \(round)")
            }
            try await store.close()
        }
    }

    @Test("even with wrong rows, compaction drops no event that the plain retention rule keeps", arguments: Adapter.all)
    func wrongRows(adapter: Adapter) async throws {
        var refusedCount = 0
        for seed in 1...(adapter.factory.isPersistent ? 8 : 40) as ClosedRange<UInt64> {
            let scratch = try Scratch()
            let store = try await scratch.open(adapter)
            var history = RandomHistory(store, seed: seed, hasServer: seed % 4 > 0)
            try await history.run(80)
            let hash = try await store.hash()
            let isAged = seed % 2 == 0
            let age = isAged ? Duration.zero : .seconds(3_600)
            let expected = try PlainRetention(store, isAged: isAged).kept
            var random = SeededGenerator(seed)
            let damage = try RowsDamage(&random)
            try damage.apply(to: store)
            do {
                try await store.compact(tombstoneAge: age)
            } catch let error as DataStoreError {
                #expect(error.code == .damaged, "seed \(seed), \(damage): \(error)")
                refusedCount += 1
                #expect(Set(try store.allEvents().map(\.sequence)).isSuperset(of: expected), "seed \(seed), \(damage)")
                #expect(try await store.hash() == hash, "seed \(seed), \(damage)")
                let report = try await store.verify()
                #expect(report.isWhole, "seed \(seed), \(damage): \(report.differences)")
                try await store.compact(tombstoneAge: age)
            }
            #expect(try store.allEvents().map(\.sequence) == expected, "seed \(seed), \(damage)")
            try await store.rebuild()
            #expect(try await store.hash() == hash, "seed \(seed), \(damage)")
            try await store.close()
        }
        #expect(refusedCount > 4)
    }

    @Test("rows that become wrong between two slices stop the compaction, and later writes succeed")
    func wrongBetweenSlices() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        for title in ["old", "new"] {
            try await store.write { tx in
                for id in 0..<6_000 { try tx.save(item("r\(id)", title)) }
            }
        }
        // A slice drops at most 4,000 events, so a later slice reaches the events of the damaged record.
        let damage = RowsDamage.forgottenRow(id: "r5999")
        let failure = await #expect(throws: DataStoreError.self) {
            try await store.compact { progress in
                if progress.sequence < SequenceNumber(6_001) { try? damage.apply(to: store) }
            }
        }
        #expect(failure?.code == .damaged)
        #expect(try store.allEvents().count < 12_001)
        #expect(try await store.title("r5999") == "new")
        try await store.save(item("r5999", "newer"))
        try await store.compact()
        #expect(try await store.title("r5999") == "newer")
        #expect(try store.allEvents().count == 6_001)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test(
        "if a compaction ends before it drops tombstones, the next compaction drops them", arguments: Adapter.all,
        [false, true])
    func endsBetweenPhases(adapter: Adapter, isRebuilt: Bool) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        for id in 0..<8 {
            try await store.write {
                try $0.append(received: item("r\(id)", "t"), server: ServerState(version: 1))
                try $0.append(
                    receivedDeletionOf: "Item", id: RecordID("r\(id)"), server: ServerState(version: 2, isDeleted: true)
                )
            }
        }
        let generation = try store.current()
        let writer = try store.writer(of: generation)
        let dropped = try await writer.exclusively { group in
            let floor = try group.raiseFloor(maximumLag: nil).floor
            let compaction = try group.log.withSlices {
                try LogCompaction($0, floor: floor, tombstoneDeadline: .max)
            }
            return try group.compact(compaction, .superseded, after: .zero, limit: 4_000)
        }
        #expect(dropped.droppedCount == 8 && dropped.leavesTombstones)
        #expect(try await store.verify().isWhole)
        if isRebuilt { try await store.rebuild() }
        try await store.close()
        let reopened = try await scratch.open(adapter)
        #expect(try await reopened.compact(tombstoneAge: .zero).droppedCount == 8)
        #expect(try reopened.allEvents().count == 1)
        #expect(try await reopened.verify().isWhole)
        try await reopened.close()
    }
}
