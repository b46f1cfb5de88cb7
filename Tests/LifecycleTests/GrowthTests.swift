import Dispatch
import Foundation
import TestStores
import Testing
import Tidelog
import TidelogLMDB
import TidelogSynchronization

@testable import TidelogCore

@Suite("Growth, quota and metrics")
struct GrowthTests {
    @Test("a log outgrows its map many times while it is read", arguments: Adapter.all)
    func mapGrows(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(
            adapter, configuration: DataStoreConfiguration(durability: .relaxed, logMapSize: 1 << 17))
        let text = String(repeating: "x", count: 4_000)
        let reading = Task {
            while !Task.isCancelled {
                _ = try store.allEvents().count
                try? await Task.sleep(for: .microseconds(200))
            }
        }
        let checking = Task {
            while !Task.isCancelled {
                #expect(try await store.verify().isWhole)
                try await store.rebuild()
                _ = try await store.history(of: "Item", id: "r0-0")
                try await store.compact()
            }
        }
        for round in 0..<40 {
            try await store.write { tx in for id in 0..<20 { try tx.save(item("r\(round)-\(id)", text)) } }
        }
        reading.cancel()
        checking.cancel()
        try await reading.value
        do { try await checking.value } catch is CancellationError {}
        #expect(try await store.count(Record.all(of: "Item")) == 800)
        #expect(try await store.metrics().logByteCount > 1 << 21)
        #expect(try await store.verify().isWhole)
        try await store.close()
        let reopened = try await scratch.open(adapter, configuration: DataStoreConfiguration(logMapSize: 1 << 17))
        try await reopened.save(item("one", text))
        #expect(try await reopened.count(Record.all(of: "Item")) == 801)
        try await reopened.close()
    }

    /// Blocks the first caller of `pass` until `whileStopped` ends.
    private final class Stop: Sendable {
        private let isFirst = Atomic<Bool>(true)
        private let reached = DispatchSemaphore(value: 0)
        private let goOn = DispatchSemaphore(value: 0)

        func pass() {
            guard isFirst.exchange(false, ordering: .relaxed) else { return }
            reached.signal()
            goOn.wait()
        }

        /// Runs `body` while the first caller of `pass` is blocked.
        func whileStopped(_ body: () async throws -> Void) async throws {
            try await Blocking.run { [reached] in reached.wait() }
            defer { goOn.signal() }
            try await body()
        }
    }

    private func makeLarge(_ scratch: Scratch, _ adapter: Adapter) async throws -> DataStore {
        let store = try await scratch.open(
            adapter,
            configuration: DataStoreConfiguration(durability: .relaxed, logMapSize: 1 << 17, compaction: nil))
        for round in 0..<6 {
            try await store.write { tx in for id in 0..<3_000 { try tx.save(item("r\(round)-\(id)", "t")) } }
        }
        return store
    }

    /// Makes the log outgrow its map more than once.
    private func outgrow(_ store: DataStore) async throws {
        let text = String(repeating: "x", count: 1 << 18)
        let before = try store.current().log.files.information.mapSize
        for round in 0..<3 {
            try await store.write { tx in for id in 0..<20 { try tx.save(item("large \(round)-\(id)", text)) } }
        }
        #expect(try store.current().log.files.information.mapSize >= 2 * before)
    }

    @Test("a log outgrows its map while a slow verification is under way", arguments: Adapter.all)
    func growsBesideVerification(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await makeLarge(scratch, adapter)
        let stop = Stop()
        async let report = store.verify { _ in stop.pass() }
        try await stop.whileStopped { try await outgrow(store) }
        #expect(try await report.isWhole)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("a log outgrows its map while a slow rebuild is under way", arguments: Adapter.all)
    func growsBesideRebuild(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await makeLarge(scratch, adapter)
        let stop = Stop()
        async let rebuilt: Void = store.rebuild { _ in stop.pass() }
        try await stop.whileStopped { try await outgrow(store) }
        try await rebuilt
        #expect(try await store.count(Record.all(of: "Item")) == 18_060)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test(
        "events that a compaction drops during a verification or a rebuild are not reported as damage",
        arguments: Adapter.all)
    func compactsBeside(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await makeLarge(scratch, adapter)
        try await store.write { tx in for id in 0..<1_500 { try tx.save(item("r3-\(id)", "later")) } }
        let first = Stop()
        async let report = store.verify { _ in first.pass() }
        try await first.whileStopped { try await store.compact() }
        #expect(try await report.isWhole)
        try await store.write { tx in for id in 0..<1_500 { _ = try tx.delete("Item", id: RecordID("r4-\(id)")) } }
        let second = Stop()
        async let rebuilt: Void = store.rebuild { _ in second.pass() }
        try await second.whileStopped {
            try await store.write { tx in for id in 0..<1_500 { _ = try tx.delete("Item", id: RecordID("r5-\(id)")) } }
            try await store.compact(tombstoneAge: .zero)
        }
        try await rebuilt
        #expect(try await store.count(Record.all(of: "Item")) == 15_000)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("an append beyond the quota changes nothing, and compaction makes room")
    func quota() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(
            Adapter(factory: .inMemory()),
            configuration: DataStoreConfiguration(durability: .relaxed, logQuota: 1 << 18))
        let text = String(repeating: "x", count: 1_000)
        var refusal: DataStoreError?
        var saved = 0
        while refusal == nil, saved < 10_000 {
            do {
                try await store.save(item("same", "\(saved)" + text))
                saved += 1
            } catch let error as DataStoreError {
                refusal = error
            }
        }
        #expect(refusal?.code == .storageFull)
        #expect(saved > 50 && saved < 300)
        #expect(try store.head.sequence.value == UInt64(saved + 1))
        #expect(try await store.title("same") == "\(saved - 1)" + text)
        #expect(try await store.metrics().eventByteCount <= 1 << 18)
        try await store.compact()
        try await store.save(item("same", "new"))
        #expect(try await store.title("same") == "new")
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test(
        "metrics report the log's events, the rows, the consumers, the file sizes and the number of syncs",
        arguments: Adapter.all)
    func metrics(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter, configuration: DataStoreConfiguration())
        for id in 0..<10 { try await store.save(item("r\(id % 4)", "t")) }
        let place = try store.position(of: SequenceNumber(6))
        try await store.write { try $0.moveConsumer("audit", to: place) }
        let metrics = try await store.metrics()
        #expect(metrics.head == SequenceNumber(11) && metrics.checkpoint == metrics.head && metrics.floor == .zero)
        #expect(metrics.eventCount == 11 && metrics.rowCounts == ["Item": 4])
        #expect(metrics.consumers.contains(ConsumerStatus(name: "audit", position: place, lag: 5)))
        #expect(metrics.adapter == adapter.factory.name && metrics.durability == .full)
        #expect(metrics.logByteCount > 0 && (metrics.rowsByteCount > 0) == adapter.factory.isPersistent)
        #expect(metrics.syncCount == 11)
        try await store.close()
    }
}
