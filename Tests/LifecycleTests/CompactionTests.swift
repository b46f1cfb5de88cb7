import Foundation
import TestStores
import Testing
import Tidelog

@testable import TidelogCore

@Suite("Compaction")
struct CompactionTests {
    @Test(
        "compaction of a random history changes no row and no server state, also after a rebuild",
        arguments: Adapter.all, [false, true])
    func stateSurvives(adapter: Adapter, hasServer: Bool) async throws {
        for seed in 1...(adapter.factory.isPersistent ? 4 : 12) as ClosedRange<UInt64> {
            let scratch = try Scratch()
            let store = try await scratch.open(adapter)
            var history = RandomHistory(store, seed: seed, hasServer: hasServer)
            for _ in 0..<3 {
                try await history.run(60)
                let hash = try await store.hash()
                var states: [ServerState?] = []
                for id in 0..<12 { states.append(try await store.serverState("r\(id)")) }
                let pending = history.pending.map(\.sequence)
                let eventCount = try store.allEvents().count
                let isAged = seed % 2 == 0
                let report = try await store.compact(
                    tombstoneAge: isAged ? .zero : .seconds(3_600), shrink: seed % 3 == 0)
                #expect(report.droppedCount > 0)
                let events = try store.allEvents()
                #expect(events.count == eventCount - report.droppedCount)
                #expect(try await store.hash() == hash)
                if hasServer { #expect(Set(pending).isSubset(of: events.map(\.sequence))) }
                for id in 0..<12 where !isAged { #expect(try await store.serverState("r\(id)") == states[id]) }
                let verified = try await store.verify()
                #expect(verified.isWhole, "seed \(seed): \(verified.damaged) \(verified.differences)")
                try await store.rebuild()
                #expect(try await store.hash() == hash)
                let again = try await store.verify()
                #expect(again.isWhole, "seed \(seed): \(again.damaged) \(again.differences)")
            }
            let hash = try await store.hash()
            let head = try store.head
            try await store.close()
            let reopened = try await scratch.open(adapter)
            #expect(try reopened.head == head)
            #expect(try await reopened.hash() == hash)
            try await reopened.save(item("after", "all"))
            #expect(try await reopened.verify().isWhole)
            try await reopened.close()
        }
    }

    @Test("compacting twice drops nothing the second time")
    func isIdempotent() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        var history = RandomHistory(store, seed: 7, hasServer: true)
        try await history.run(200)
        #expect(try await store.compact(tombstoneAge: .zero).droppedCount > 0)
        #expect(try await store.compact(tombstoneAge: .zero).droppedCount == 0)
        try await store.close()
    }

    @Test("in a store without a server, compaction keeps only the latest event of each record")
    func localOnly() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        for round in 0..<5 {
            for id in 0..<10 { try await store.save(item("r\(id)", "t\(round)")) }
        }
        try await store.write { _ = try $0.delete("Item", id: RecordID("r3")) }
        let kept = try await store.compact(tombstoneAge: .seconds(3_600))
        #expect(kept.droppedCount == 41)
        #expect(try store.allEvents().map(\.kind).filter { $0 == .deleted }.count == 1)
        let dropped = try await store.compact(tombstoneAge: .zero)
        #expect(dropped.droppedCount == 1)
        let events = try store.allEvents()
        #expect(events.map(\.kind) == [.schemaChanged] + Array(repeating: .saved, count: 9))
        #expect(try await store.verify().isWhole)
        #expect(try store.head.sequence == SequenceNumber(52))
        #expect(try await store.save(item("r3", "again")).first == SequenceNumber(53))
        try await store.close()
    }

    @Test("compaction keeps unconfirmed changes and the last confirmed event before them")
    func pendingIsKept() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        let first = try await store.save(item("a", "1")).first
        let answer = (
            mutation: MutationID(incarnation: try store.current().log.metadata.incarnation, sequence: first),
            outbox: try store.position(of: first)
        )
        try await store.write {
            try $0.append(
                acknowledged: "Item", id: RecordID("a"), server: ServerState(version: 1), answering: answer)
        }
        for title in ["2", "3", "4"] { try await store.save(item("a", title)) }
        try await store.compact(tombstoneAge: .zero)
        #expect(try store.allEvents().map(\.sequence.value) == [1, 2, 3, 4, 5, 6])
        try await store.write { _ = try $0.delete("Item", id: RecordID("a")) }
        try await store.compact(tombstoneAge: .zero)
        #expect(try store.allEvents().map(\.sequence.value) == [1, 2, 3, 4, 5, 6, 7])
        let last = SequenceNumber(7)
        let final = (
            mutation: MutationID(incarnation: answer.mutation.incarnation, sequence: last),
            outbox: try store.position(of: last)
        )
        try await store.write {
            try $0.append(
                acknowledged: "Item", id: RecordID("a"), server: ServerState(version: 2, isDeleted: true),
                answering: final)
        }
        try await store.compact(tombstoneAge: .seconds(3_600))
        #expect(try store.allEvents().map(\.sequence.value) == [1, 7, 8])
        try await store.compact(tombstoneAge: .zero)
        #expect(try store.allEvents().map(\.sequence.value) == [1])
        #expect(try await store.serverState("a") == nil)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("compaction keeps the base of a pending change after the server pushes a newer state")
    func baseIsKept() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        try await store.save(item("a", "old"))
        try await acknowledge(store, "a", try store.head.sequence, version: 1)
        try await store.save(item("a", "pending"))
        try await store.write {
            try $0.append(received: item("a", "pushed"), server: ServerState(version: 2), isShadowed: true)
        }
        #expect(try await store.compact(tombstoneAge: .zero).droppedCount == 0)
        #expect(try await store.title("a") == "pending")
        try await store.close()
    }

    @Test("the base of a change is kept if the change is made while a compaction is under way")
    func changeBesideCompaction() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        try await store.save(item("a", "older"))
        try await acknowledge(store, "a", try store.head.sequence, version: 1)
        try await store.save(item("a", "base"))
        try await acknowledge(store, "a", try store.head.sequence, version: 2)
        let generation = try store.current()
        let floor = try store.head
        let compaction = try generation.log.withSlices {
            try LogCompaction($0, floor: floor, tombstoneDeadline: .max)
        }
        try await store.save(item("a", "pending"))
        let writer = try store.writer(of: generation)
        let slice = try await writer.exclusively { group in
            _ = try group.raiseFloor(maximumLag: nil)
            return try group.compact(compaction, .superseded, after: .zero, limit: 4_000)
        }
        #expect(slice.droppedCount == 2)
        #expect(try store.allEvents().map(\.sequence.value) == [1, 4, 5, 6])
        try await store.close()
    }

    private func acknowledge(_ store: DataStore, _ id: String, _ sequence: SequenceNumber, version: UInt64) async throws
    {
        let answer = (
            mutation: MutationID(incarnation: try store.current().log.metadata.incarnation, sequence: sequence),
            outbox: try store.position(of: sequence)
        )
        try await store.write {
            try $0.append(
                acknowledged: "Item", id: RecordID(id), server: ServerState(version: version), answering: answer)
        }
    }

    @Test("a refused change stays as a note, and its events are dropped after later events replace them")
    func refusedIsNoted() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        try await store.write { try $0.append(received: item("a", "s"), server: ServerState(version: 1)) }
        let changed = try await store.save(item("a", "1")).first
        try await store.save(item("a", "2"))
        let answer = (
            mutation: MutationID(incarnation: try store.current().log.metadata.incarnation, sequence: changed),
            outbox: try store.head
        )
        try await store.write {
            try $0.append(rejected: "Item", id: RecordID("a"), reason: "no", answering: answer)
            try $0.append(noted: "aside", value: [1, 2, 3])
        }
        #expect(try await store.compact(tombstoneAge: .zero).droppedCount == 2)
        #expect(try store.allEvents().map(\.kind) == [.schemaChanged, .received, .saved, .noted])
        #expect(try await store.title("a") == "2")
        #expect(try await store.read { try $0.note("aside") } == [1, 2, 3])
        try await store.write {
            try $0.append(received: item("a", "s2"), server: ServerState(version: 2))
            try $0.append(noted: "aside", value: nil)
        }
        #expect(try await store.compact(tombstoneAge: .zero).droppedCount == 4)
        #expect(try store.allEvents().map(\.kind) == [.schemaChanged, .received])
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("the outbox never lapses: below the floor it still reads its unsent events, and moves on")
    func outboxNeverLapses() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        for title in ["1", "2"] {
            try await store.save(item("a", title))
            try await acknowledge(store, "a", try store.head.sequence, version: 1)
        }
        let unsent = try await store.save(item("b", "unsent")).first
        for title in 0..<5 {
            try await store.write {
                try $0.append(received: item("c", "\(title)"), server: ServerState(version: UInt64(title)))
            }
        }
        #expect(try await store.compact(tombstoneAge: .zero, maximumConsumerLag: 0).lapsedConsumers.isEmpty)
        #expect(try store.outboxPosition.sequence < store.current().log.metadata.floor.sequence)
        var sent: SequenceNumber?
        for try await event in try store.outbox.events() where event.origin == .local {
            sent = event.sequence
            break
        }
        #expect(sent == unsent)
        try await acknowledge(store, "b", unsent, version: 1)
        #expect(try store.outboxPosition.sequence == unsent)
        try await store.close()
    }

    @Test("compaction keeps a deletion that was not sent to the server, however old the deletion is")
    func unsentDeletionIsKept() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        try await store.write { try $0.append(received: item("a", "s"), server: ServerState(version: 1)) }
        try await store.write { _ = try $0.delete("Item", id: RecordID("a")) }
        #expect(try await store.compact(tombstoneAge: .zero).droppedCount == 0)
        try await store.rebuild()
        #expect(try await store.serverState("a")?.version == 1)
        #expect(try await store.title("a") == nil)
        try await store.close()
    }

    @Test("the floor stops at the slowest consumer, unless that consumer lags more than the limit")
    func consumersAreWaitedFor() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        for title in 0..<10 { try await store.save(item("a", "\(title)")) }
        let place = try store.position(of: SequenceNumber(5))
        try await store.write { try $0.moveConsumer("slow", to: place) }
        let waiting = try await store.compact()
        #expect(waiting.floor == SequenceNumber(5))
        #expect(try store.allEvents().map(\.sequence.value) == [1, 6, 7, 8, 9, 10, 11])
        #expect(waiting.lapsedConsumers.isEmpty)
        let lapsed = try await store.compact(maximumConsumerLag: 3)
        #expect(lapsed.lapsedConsumers == ["slow"])
        #expect(try store.allEvents().map(\.sequence.value) == [1, 11])
        #expect(try await store.compact(retain: .all).droppedCount == 0)
        try await store.close()
    }

    @Test(
        "a store is whole after an interrupted compaction, and the next compaction completes the work",
        arguments: Adapter.persistent)
    func interrupted(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        for round in 0..<3 {
            try await store.write { tx in
                for id in 0..<5_000 { try tx.save(item("r\(id)", "t\(round)")) }
            }
        }
        let hash = try await store.hash()
        let task = Task { try await store.compact { _ in withUnsafeCurrentTask { $0?.cancel() } } }
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        let middle = try store.allEvents().count
        #expect(middle > 5_001 && middle < 15_001)
        #expect(try await store.verify().isWhole)
        try await store.close()
        let reopened = try await scratch.open(adapter)
        try await reopened.rebuild()
        #expect(try await reopened.hash() == hash)
        try await reopened.compact()
        #expect(try reopened.allEvents().count == 5_001)
        #expect(try await reopened.hash() == hash)
        try await reopened.close()
    }

    @Test("writes continue while a log is compacted and shrunk, and no write is lost", arguments: Adapter.all)
    func writesGoOn(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        try await store.write { tx in for id in 0..<10_000 { try tx.save(item("r\(id)", "old")) } }
        try await store.write { tx in for id in 0..<10_000 { try tx.save(item("r\(id)", "new")) } }
        let before = try await store.metrics()
        async let writing: Void = {
            for round in 0..<200 { try await store.save(item("w\(round % 20)", "\(round)")) }
        }()
        let report = try await store.compact(shrink: true)
        try await writing
        #expect(report.byteCountAfter < before.logByteCount)
        #expect(try await store.count(Record.all(of: "Item")) == 10_020)
        #expect(try await store.title("w19") == "199")
        #expect(try await store.verify().isWhole)
        let hash = try await store.hash()
        try await store.close()
        let reopened = try await scratch.open(adapter)
        #expect(try await reopened.hash() == hash)
        #expect(FileManager.default.fileExists(atPath: scratch.path().path + "/generation-1/log-2"))
        #expect(!FileManager.default.fileExists(atPath: scratch.path().path + "/generation-1/log"))
        try await reopened.close()
    }
}

extension DataStore {
    func count(_ model: String) async throws -> Int { try await count(Record.all(of: model)) }
}
