internal import TidelogCore
internal import TidelogSynchronization

/// The fields that mutations selected of the records that they changed, for messages to subscribers with strict selections. The
/// oldest notes are removed when there are too many.
final class SelectionNotes: Sendable {
    /// The largest number of changes whose notes are kept.
    private static let capacity = 10_000

    private struct Place: Hashable {
        let model: String
        let id: RecordID
        let version: Int64
        /// The time of the change. A record that was deleted and created again has the same versions at other times.
        let time: Int64
    }

    private struct State {
        var notes: [Place: Set<String>] = [:]
        /// The places of all notes, oldest first.
        var order: [Place] = []
    }

    private let state = Mutex(State())

    /// Notes that the change which writes `record` selects `fields`. This method is called before the change is committed.
    func note(_ record: Record, id: RecordID, fields: Set<String>) {
        let place = Place(model: record.model, id: id, version: record.version, time: record.lastChangedAt)
        state.withLock { state in
            if state.notes.updateValue(fields, forKey: place) == nil { state.order.append(place) }
            guard state.order.count > Self.capacity else { return }
            for oldest in state.order.prefix(Self.capacity / 2) { state.notes[oldest] = nil }
            state.order.removeFirst(Self.capacity / 2)
        }
    }

    /// The fields that the mutation which wrote `record` selected; `nil` if they are not known, or not known any more.
    func fields(of record: Record, id: RecordID) -> Set<String>? {
        let place = Place(model: record.model, id: id, version: record.version, time: record.lastChangedAt)
        return state.withLock { $0.notes[place] }
    }
}
