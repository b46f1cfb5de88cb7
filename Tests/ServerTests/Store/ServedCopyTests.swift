import TestStores
import Testing
import Tidelog

@testable import TidelogServer

@Suite("Copies of everything that a server keeps")
struct ServedCopyTests {
    private static func open(_ scratch: Scratch, _ name: String) async throws -> (DataStore, LogContent) {
        let store = try await DataStore.open(
            at: scratch.path(name), schema: ServerModels.adding(to: VersionedStoreTests.schema), adapter: .lmdb(),
            configuration: DataStoreConfiguration(durability: .relaxed))
        return (store, try LogContent(store, schema: VersionedStoreTests.schema))
    }

    private static func record(_ number: Int, _ text: String) -> Record {
        Record(
            model: "Item",
            values: [
                "id": .string("r\(number)"), "text": .string(text), Metadata.version: .int(Int64(number % 7 + 1)),
                Metadata.lastChangedAt: .int(Int64(1_000 + number)),
            ])
    }

    @Test("records that are too large together for one commit are saved in several ones")
    func large() {
        let sizes = [10, 10, 900, 200, 200, 5_000, 10]
        let records = sizes.enumerated().map { Self.record($0, String(repeating: "a", count: $1)) }
        let parts = LogContent.parts(of: records, byteCount: 1_200)
        #expect(parts.map { Array($0.indices) } == [[0, 1], [2], [3, 4], [5], [6]])
        #expect(parts.flatMap { $0 } == records)
        #expect(LogContent.parts(of: [], byteCount: 1_200).isEmpty)
    }

    @Test("the pages of large records have few records, and the pages of small records many")
    func limits() {
        let small = ServedPage((0..<50).map { Self.record($0, "a") }, next: nil)
        #expect(small.nextLimit(after: 50) == 200)
        #expect(small.nextLimit(after: 1_000) == 2_000)
        let large = ServedPage((0..<4).map { Self.record($0, String(repeating: "a", count: 1 << 20)) }, next: nil)
        #expect((2...4).contains(large.nextLimit(after: 2_000)))
        #expect(ServedPage([], next: nil).nextLimit(after: 1) >= 1)
        let huge = ServedPage([Self.record(0, String(repeating: "a", count: 9 << 20))], next: nil)
        #expect(huge.nextLimit(after: 50) == 1)
    }

    @Test("a copy that ended in the middle continues, and removes the records that the source no longer has")
    func continues() async throws {
        struct Stop: Error {}
        let scratch = try Scratch()
        let (source, from) = try await Self.open(scratch, "from")
        let (target, into) = try await Self.open(scratch, "to")
        try await from.write("Item", saved: (0..<1_000).map { Self.record($0, "a") }, replaced: [], removed: [])
        let facts = ServedFacts(source: "s", kind: .versioned, time: 9_000, secrets: [.init("pages", [1, 2, 255])])
        try await into.begin(facts, from: from.identity)
        let stopped = ServedCopy(from: from, to: into, models: ["Item"]) { _, count in if count > 200 { throw Stop() } }
        await #expect(throws: Stop.self) { try await stopped.run(facts) }
        await #expect(throws: DataStoreError.self) { try await ServerModels.require(.versioned, in: target) }
        #expect(try await LogContent.facts(of: target).unfinishedSource == from.identity)

        try await from.write(
            "Item", saved: [Self.record(10, "changed")], replaced: [], removed: [Self.record(1, "a")])
        let outcome = try await ServedCopy(from: from, to: into, models: ["Item"]) { _, _ in }.run(facts)
        #expect(outcome.removed == 1 && outcome.copied + outcome.unchanged == 999 && outcome.unchanged > 200)
        let again = try await ServedCopy(from: from, to: into, models: ["Item"]) { _, _ in }.compare()
        #expect(again.unchanged == 999 && again.differing.values.allSatisfy { $0 == 0 })
        let copied = try await LogContent.facts(of: target)
        #expect(copied.unfinishedSource == nil && copied.time == 9_000 && copied.secrets == facts.secrets)
        try await ServerModels.require(.versioned, in: target)
        try await source.close()
        try await target.close()
    }
}
