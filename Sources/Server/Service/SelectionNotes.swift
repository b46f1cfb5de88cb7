internal import Synchronization
internal import TidelogCore

/// What mutations selected of the records that they changed, until subscribers were told of it: with strict selections a
/// message has no more than that.
final class SelectionNotes: Sendable {
    /// So many changes may be on their way to the subscribers.
    private static let capacity = 10_000

    private struct Place: Hashable {
        let model: String
        let id: RecordID
        let version: Int64
    }

    private struct State {
        var notes: [Place: Set<String>] = [:]
        /// The places, oldest first, with those that were taken.
        var order: [Place] = []
    }

    private let state = Mutex(State())

    /// Notes, before it is committed, that the change which gives the record of `model` with `id` its `version` selects
    /// `fields`. A change that is not committed leaves its place to the next one with this version.
    func note(_ model: String, _ id: RecordID, version: Int64, fields: Set<String>) {
        let place = Place(model: model, id: id, version: version)
        state.withLock { state in
            if state.notes.updateValue(fields, forKey: place) == nil { state.order.append(place) }
            guard state.order.count > Self.capacity else { return }
            for oldest in state.order.prefix(Self.capacity / 2) { state.notes[oldest] = nil }
            state.order.removeFirst(Self.capacity / 2)
        }
    }

    /// What the mutation selected that wrote `record`; nothing if it is not known any more.
    func fields(of record: Record, id: RecordID) -> Set<String> {
        let place = Place(model: record.model, id: id, version: record.version)
        return state.withLock { $0.notes[place] ?? [] }
    }
}
