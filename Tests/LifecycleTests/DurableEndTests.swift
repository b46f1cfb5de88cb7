import Foundation
import TestStores
import Testing
import Tidelog

@testable import TidelogCore

@Suite("What was durable before unsynced writes")
struct DurableEndTests {
    private let unsynced = DataStoreConfiguration(durability: .unsynced)
    private let scratch: Scratch
    private let log: URL

    /// A store that was closed twice; its log is put back to what it was at the first close.
    init() async throws {
        scratch = try Scratch()
        log = scratch.path().appending(path: "generation-1/log/data.mdb")
        let first = try await scratch.open(configuration: unsynced)
        try await first.save(item("a", "first"))
        try await first.close()
        let earlier = try Data(contentsOf: log)
        let second = try await scratch.open(configuration: unsynced)
        try await second.save(item("b", "second"))
        try await second.close()
        // From here on nobody knows of it but the note beside the log.
        let third = try await scratch.open(configuration: unsynced)
        try await third.save(item("c", "third"))
        try await third.close()
        try earlier.write(to: log)
    }

    @Test("a log that looks whole, but lacks an event that was durable, is refused", arguments: [false, true])
    func isRefused(isReadOnly: Bool) async throws {
        let configuration = DataStoreConfiguration(durability: .unsynced, isReadOnly: isReadOnly)
        let error = await #expect(throws: DataStoreError.self) {
            _ = try await scratch.open(configuration: configuration)
        }
        #expect(error?.code == .logDamaged)
        #expect(error?.message.contains("event 4 was durable") ?? false, "\(error?.message ?? "")")
    }

    @Test("checking the log tells of it, and salvage takes what is left")
    func isReported() async throws {
        let report = try await DataStore.verifyLog(at: scratch.path())
        #expect(report.damaged.map(\.sequence) == [SequenceNumber(3)])
        #expect(!report.isWhole)
        try await DataStore.salvage(from: scratch.path(), to: scratch.path("salvaged"))
        let salvaged = try await scratch.open(.init(factory: .inMemory()), "salvaged", configuration: unsynced)
        #expect(try await salvaged.title("a") == "first")
        #expect(try await salvaged.title("b") == nil)
        try await salvaged.close()
    }

    @Test("a note that cannot be read is damage")
    func isChecked() async throws {
        let note = log.deletingLastPathComponent().appending(path: "durable")
        try Data("tidelog 1\n".utf8).write(to: note)
        let error = await #expect(throws: DataStoreError.self) {
            _ = try await scratch.open(configuration: unsynced)
        }
        #expect(error?.code == .logDamaged)
    }

    @Test("a compaction that drops the event, and a smaller file, change nothing")
    func survivesCompaction() async throws {
        let store = try await scratch.open(.init(factory: .inMemory()), "compacted", configuration: unsynced)
        for round in 0..<5 { try await store.save(item("a", "\(round)")) }
        try await store.close()
        let again = try await scratch.open(.init(factory: .inMemory()), "compacted", configuration: unsynced)
        for round in 0..<5 { try await again.save(item("a", "later \(round)")) }
        let outbox = try again.outbox
        try await outbox.advance(to: again.head)
        #expect(try await again.compact(shrink: true).droppedCount > 0)
        try await again.close()
        let last = try await scratch.open(.init(factory: .inMemory()), "compacted", configuration: unsynced)
        #expect(try await last.title("a") == "later 4")
        #expect(try await last.verify().isWhole)
        try await last.close()
    }
}
