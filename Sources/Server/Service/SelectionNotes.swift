internal import TidelogCore
internal import TidelogSynchronization

/// The fields that mutations selected of the records that they changed. With strict selections, messages to subscribers contain
/// only these fields. The oldest notes are removed when there are too many.
final class SelectionNotes: Sendable {
    /// The largest number of changes whose notes are kept.
    private static let capacity = 10_000

    private struct Place: Hashable {
        let model: String
        let id: RecordID
        let version: Int64
    }

    private struct State {
        var notes: [Place: Set<String>] = [:]
        /// The places of all notes, oldest first.
        var order: [Place] = []
    }

    private let state = Mutex(State())

    /// Notes that a change of a record selects `fields`. The change is identified by the record's model, id and new version.
    /// This method is called before the change is committed. If the change is not committed, the next change to the same
    /// version replaces the note.
    func note(_ model: String, _ id: RecordID, version: Int64, fields: Set<String>) {
        let place = Place(model: model, id: id, version: version)
        state.withLock { state in
            if state.notes.updateValue(fields, forKey: place) == nil { state.order.append(place) }
            guard state.order.count > Self.capacity else { return }
            for oldest in state.order.prefix(Self.capacity / 2) { state.notes[oldest] = nil }
            state.order.removeFirst(Self.capacity / 2)
        }
    }

    /// The fields that the mutation which wrote `record` selected. Empty if the note is no longer kept.
    func fields(of record: Record, id: RecordID) -> Set<String> {
        let place = Place(model: record.model, id: id, version: record.version)
        return state.withLock { $0.notes[place] ?? [] }
    }
}
