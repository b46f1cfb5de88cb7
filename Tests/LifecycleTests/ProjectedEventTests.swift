import SeededNumbers
import TestStores
import TestWaiting
import Testing
@_spi(Adapters) import Tidelog
import TidelogSynchronization

@_spi(Adapters) @testable import TidelogCore

/// Stores an image of each event under the number of the event. The image contains all properties of the event.
private struct EventImages: Projection {
    let name = "images"
    let version: UInt32 = 1

    func project(_ event: Event, into table: ProjectionTable) throws {
        try table.put(Self.image(of: event), for: event.sequence.value.littleEndianBytes)
    }

    static func image(of event: Event) -> [UInt8] {
        let parts: [Any?] = [
            event.kind, event.sequence, event.position.sequence, event.position.chain, event.commit,
            event.isLastInCommit, event.previous, event.microsecondsSince1970, event.schemaVersion, event.mutationID,
            event.origin, event.isMigrated, event.asksForMutation, event.model, event.recordID, event.key,
            event.record?.values.sorted { $0.key < $1.key },
            event.changedFields, event.serverState, event.answer, event.condition, event.reason,
            event.isShadowed, event.changesRow, event.note,
        ]
        return event.bytes + parts.map { "\($0.map { "\($0)" } ?? "-")" }.joined(separator: "|").utf8
    }
}

/// Refuses events of records with the title "refused", as long as `isRefusing` is true.
private final class Refusing: Projection {
    struct Refusal: Error {}

    let name = "refusing"
    let version: UInt32 = 1
    let isRefusing = Atomic<Bool>(true)

    func project(_ event: Event, into table: ProjectionTable) throws {
        if isRefusing.load(ordering: .relaxed), event.record?["title"] == "refused" { throw Refusal() }
        try table.put([1], for: event.sequence.value.littleEndianBytes)
    }
}

/// One step of a member of a group.
private enum Step: Sendable {
    case save(String, String)
    case conditionalSave(String, String)
    case delete(String)
    /// A query of a set of records. The store flushes all staged events for this query.
    case query
    case receive(String, ServerState)
    case receiveShadowed(String, ServerState)
    case note(String, [UInt8]?)
    case acknowledge(String, ServerState)
    case reject(String)
    case leaveScope(String)
    case fail

    struct Failure: Error {}

    init(_ random: inout SeededGenerator) {
        let id = "r\(Int.random(in: 0..<5, using: &random))"
        let state = ServerState(version: random.next() % 100, lastChangedAt: Int64(random.next() % 1_000))
        self =
            switch Int.random(in: 0..<18, using: &random) {
            case 0..<6: .save(id, "t\(random.next() % 100)")
            case 6: .conditionalSave(id, "c\(random.next() % 100)")
            case 7, 8: .delete(id)
            case 9, 10: .query
            case 11: .receive(id, state)
            case 12: .acknowledge(id, state)
            case 13: .reject(id)
            case 14: .leaveScope(id)
            case 15: .receiveShadowed(id, state)
            case 16: .note("n\(random.next() % 3)", random.next() % 2 == 0 ? nil : [UInt8(random.next() % 256)])
            default: .fail
            }
    }

    func run(_ transaction: StoreTransaction, answering answer: (mutation: MutationID, outbox: Position)) throws {
        switch self {
        case .save(let id, let title): try transaction.save(item(id, title))
        case .conditionalSave(let id, let title):
            try transaction.save(item(id, title), where: .field("title", .beginsWith("t")))
        case .delete(let id): _ = try transaction.delete("Item", id: RecordID(id))
        case .query: _ = try transaction.fetch(Record.all(of: "Item"))
        case .receive(let id, let state): try transaction.append(received: item(id, "server"), server: state)
        case .receiveShadowed(let id, let state):
            try transaction.append(received: item(id, "server"), server: state, isShadowed: true)
        case .note(let name, let value): try transaction.append(noted: name, value: value)
        case .acknowledge(let id, let state):
            try transaction.append(acknowledged: "Item", id: RecordID(id), server: state, answering: answer)
        case .reject(let id):
            try transaction.append(rejected: "Item", id: RecordID(id), reason: "no", answering: answer)
        case .leaveScope(let id): try transaction.append(leftScope: "Item", id: RecordID(id))
        case .fail: throw Failure()
        }
    }
}

@Suite("Events for registered projections", .timeLimit(.minutes(5)))
struct ProjectedEventTests {
    private func open(_ scratch: Scratch, _ adapter: Adapter, _ projection: any Projection) async throws -> DataStore {
        try await scratch.open(
            adapter, configuration: DataStoreConfiguration(durability: .full, projections: [projection]))
    }

    private func images(_ store: DataStore) async throws -> [[UInt8]: [UInt8]] {
        try await store.read { snapshot in
            var images: [[UInt8]: [UInt8]] = [:]
            try snapshot.forEachProjected("images") { key, image in
                images[key] = image
                return true
            }
            return images
        }
    }

    /// Runs `members` in one group. Returns the number of members that failed.
    private func runGroup(
        _ members: [@Sendable (StoreTransaction) throws -> Void], on store: DataStore
    ) async throws -> Int {
        let writer = try store.writer(of: store.current())
        let held = try await HeldWriter(writer)
        var writes: [Task<Commit, any Error>] = []
        for member in members {
            let before = writer.load.byteCount
            writes.append(Task { try await store.write(member) })
            while writer.load.byteCount == before { await Task.yield() }
        }
        try await held.release()
        var failedCount = 0
        for write in writes { if case .failure = await write.result { failedCount += 1 } }
        return failedCount
    }

    @Test(
        "a projection gets exactly the events of the log, when they are written and when rows are recreated",
        arguments: Adapter.all)
    func sameEvents(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await open(scratch, adapter, EventImages())
        let first = try await store.save(item("r0", "first")).first
        let answer = (
            mutation: MutationID(incarnation: try store.current().log.metadata.incarnation, sequence: first),
            outbox: try store.position(of: first)
        )
        var random = SeededGenerator(7)
        var failedCount = 0
        let syncCount = try await store.metrics().syncCount
        for _ in 0..<12 {
            let members = (0..<20).map { _ in (0..<Int.random(in: 1...8, using: &random)).map { _ in Step(&random) } }
            failedCount += try await runGroup(
                members.map { steps in { for step in steps { try step.run($0, answering: answer) } } }, on: store)
        }
        #expect(try await store.metrics().syncCount - syncCount == 12)
        #expect((20...200).contains(failedCount), "\(failedCount)")
        let live = try await images(store)
        let events = try store.allEvents()
        #expect(events.allSatisfy { $0.previous < $0.sequence }, "a link forwards")
        let differing = events.filter { live[$0.sequence.value.littleEndianBytes] != EventImages.image(of: $0) }
        #expect(differing.isEmpty && live.count == events.count, "\(differing.count) of \(events.count)")
        let report = try await store.verify()
        #expect(report.isWhole && report.uncomparedProjections.isEmpty, "\(report.differences)")
        try await store.rebuild()
        let rebuilt = try await images(store)
        #expect(rebuilt.filter { $1 != live[$0] }.isEmpty && rebuilt.count == live.count)
        try await store.close()
    }

    @Test(
        "a projection that throws fails no write, and the rows are repaired after it stops throwing",
        arguments: Adapter.all, [true, false])
    func refused(adapter: Adapter, isProjectedAtOnce: Bool) async throws {
        let scratch = try Scratch()
        let projection = Refusing()
        let store = try await open(scratch, adapter, projection)
        try await store.save(item("a", "kept"))
        let head = try store.head.sequence.value
        let failedCount = try await runGroup(
            [
                { try $0.save(item("b", "fine")) },
                {
                    try $0.save(item("c", "refused"))
                    if isProjectedAtOnce { #expect(try $0.fetch(Record.all(of: "Item")).count == 3) }
                },
                { try $0.save(item("d", "fine")) },
            ], on: store)
        #expect(failedCount == 0)
        #expect(try store.head.sequence.value == head + 3)
        let failure = await #expect(throws: DataStoreError.self) { try await store.count(Record.all(of: "Item")) }
        #expect(failure?.code == .projectionUnavailable)
        projection.isRefusing.store(false, ordering: .relaxed)
        try await eventually { (try? await store.count(Record.all(of: "Item"))) != nil }
        #expect(
            try await store.fetch(Record.all(of: "Item")).map { $0["id"] } == ["a", "b", "c", "d"].map { .string($0) })
        try await store.save(item("e", "fine"))
        let events = try store.allEvents()
        #expect(events.count == 6)
        #expect(try await store.read { try $0.projectedCount("refusing") } == events.count)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test(
        "events of small writes are projected later and together, and until then reads find them in the log",
        arguments: Adapter.all)
    func projectedTogether(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await open(scratch, adapter, EventImages())
        let model = try store.layout.required("Item")
        let waits = try await store.writer(of: store.current()).exclusively { section in
            let staged = StagedEvents()
            staged.begin(after: section.log.head, wallClock: 0, incarnation: 1)
            _ = try staged.stageRow(model, header: EventHeader(kind: .saved, schemaVersion: 1)) {
                try item("one", "t").encode(into: &$0, layout: model)
            }
            let rows = section.rows.begin(staged)
            defer { rows.end() }
            try rows.prepare()
            return !rows.hasApplied(from: 0)
        }
        #expect(waits)
        for number in 0..<50 {
            try await store.save(item("r\(number % 7)", "\(number)"))
            #expect(try await store.title("r\(number % 7)") == "\(number)")
        }
        #expect(try await images(store).count == store.allEvents().count)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }
}

extension StoreSnapshot {
    fileprivate func projectedCount(_ name: String) throws -> Int {
        var count = 0
        try forEachProjected(name) { _, _ in
            count += 1
            return true
        }
        return count
    }
}
