import Foundation
import TestStores
import Testing
import Tidelog

@testable import TidelogCore

@Suite("Growth, quota and metrics")
struct GrowthTests {
    @Test("a log outgrows its map many times while it is read", arguments: Adapter.all)
    func mapGrows(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(
            adapter, configuration: DataStoreConfiguration(durability: .unsynced, logMapSize: 1 << 17))
        let text = String(repeating: "x", count: 4_000)
        let reading = Task {
            while !Task.isCancelled {
                _ = try store.allEvents().count
                try? await Task.sleep(for: .microseconds(200))
            }
        }
        for round in 0..<40 {
            try await store.write { tx in for id in 0..<20 { try tx.save(item("r\(round)-\(id)", text)) } }
        }
        reading.cancel()
        try await reading.value
        #expect(try await store.count("Item") == 800)
        #expect(try await store.metrics().logByteCount > 1 << 21)
        #expect(try await store.verify().isWhole)
        try await store.close()
        let reopened = try await scratch.open(adapter, configuration: DataStoreConfiguration(logMapSize: 1 << 17))
        try await reopened.save(item("one", text))
        #expect(try await reopened.count("Item") == 801)
        try await reopened.close()
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

    @Test("metrics count what is there", arguments: Adapter.all)
    func metrics(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter, configuration: DataStoreConfiguration())
        for id in 0..<10 { try await store.save(item("r\(id % 4)", "t")) }
        let place = try store.position(of: SequenceNumber(6))
        try await store.write { try $0.moveConsumer("audit", to: place) }
        let metrics = try await store.metrics()
        #expect(metrics.head == SequenceNumber(11) && metrics.checkpoint == metrics.head && metrics.floor == .zero)
        #expect(metrics.eventCount == 11 && metrics.rowCounts == ["Item": 4])
        #expect(
            metrics.consumers.contains(
                StoreMetrics.Consumer(name: "audit", position: SequenceNumber(6), lag: 5)))
        #expect(metrics.adapter == adapter.factory.name && metrics.durability == .full)
        #expect(metrics.logByteCount > 0 && (metrics.rowsByteCount > 0) == adapter.factory.isPersistent)
        #expect(metrics.syncCount == 11)
        try await store.close()
    }
}
