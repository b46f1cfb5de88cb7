import TidelogCore
import TidelogSync

/// An app that follows the changes of a device's store. It knows the rows from these changes alone.
final class SimulatedObserver {
    private var streams: [(model: String, changes: ChangeStream<Record>.Iterator)]
    private var last: [String: SequenceNumber] = [:]
    private var rows: [String: [RecordID: Record]] = [:]
    /// The last event whose change was read.
    private var place = SequenceNumber.zero

    /// Makes an observer that knows the current rows.
    init(_ store: DataStore, _ models: SyncModels) async throws {
        streams = models.names.map { ($0, store.changes(of: Record.all(of: $0)).makeAsyncIterator()) }
        place = try store.head.sequence
        for name in models.names {
            for row in try await store.fetch(Record.all(of: name)) {
                if let reference = models[name]?.reference(of: row) { rows[name, default: [:]][reference.id] = row }
            }
        }
    }

    /// Reads all changes that the log has. Checks that each comes once, and that together they lead to the current rows.
    func check(_ store: DataStore, client: Int) async throws {
        let head = try store.head.sequence
        var expected: [String: [SequenceNumber]] = [:]
        if head > place {
            for try await event in store.events(after: place, through: head) where event.changesRow {
                if let model = event.model { expected[model, default: []].append(event.position.sequence) }
            }
        }
        place = head
        for index in streams.indices {
            let model = streams[index].model
            for sequence in expected[model, default: []] {
                guard let change = try await streams[index].changes.next() else {
                    throw SimulationFailure("client \(client)'s observer of \(model) ended")
                }
                guard change.sequence == sequence else {
                    throw SimulationFailure(
                        "client \(client)'s observer of \(model) sees \(change.sequence) instead of \(sequence)")
                }
                rows[model, default: [:]][change.recordID] = change.value
            }
            let present = try await store.fetch(Record.all(of: model))
            guard present.count == rows[model, default: [:]].count,
                present.allSatisfy({ row in rows[model]?.values.contains(row) ?? false })
            else { throw SimulationFailure("client \(client)'s observer of \(model) does not know the rows") }
        }
    }
}
