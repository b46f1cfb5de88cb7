@_spi(Adapters) internal import TidelogCore
internal import TidelogRecordText

/// An event of the log, with the values that it changed.
struct EventReport: Encodable, Sendable {
    let sequence: UInt64
    /// The number of the first event in the same commit.
    let commit: UInt64
    let kind: String
    /// The model and the key of its record; absent if the event concerns no record.
    let model: String?
    let key: [String]?
    let origin: String
    /// Whether the record had unsent changes, so that it stayed as it was.
    let isShadowed: Bool
    let at: String
    /// The name of a note of the sync engine, and the size of its value.
    let note: String?
    let noteBytes: Int?
    /// The reason why a server refused a change.
    let reason: String?
    /// The effect on the values: `set`, `changed` or `removed`.
    let effect: String
    /// Whether the values before the event are known. After a compaction they may not be.
    let isBeforeKnown: Bool
    let changes: [Change]

    /// The change of one field. A missing value is null.
    struct Change: Encodable, Sendable {
        let name: String
        let before: String?
        let after: String?
    }

    /// The reports of `events`, which are from the log of `store`.
    ///
    /// - Parameter valueLength: The most characters of a value.
    static func all(_ events: [Event], in store: DataStore, valueLength: Int) throws -> [EventReport] {
        // The link of an event leads to the last event that changed the row of its record.
        let links = events.map { $0.changesRow && $0.previous != .zero ? $0.previous : nil }
        var former = try store.events(at: links.compactMap { $0 })[...]
        return try zip(events, links).map { event, link in
            try EventReport(event, after: link == nil ? nil : former.popFirst() ?? nil, valueLength: valueLength)
        }
    }

    private init(_ event: Event, after former: Event?, valueLength: Int) throws {
        let values = try EventValues(event, after: former)
        sequence = event.sequence.value
        commit = event.commit.value
        kind = "\(event.kind)"
        model = event.model
        key = event.recordID?.components.map(\.text)
        origin = event.origin.rawValue
        isShadowed = event.isShadowed
        at = timestamp(microseconds: event.microsecondsSince1970)
        note = event.note?.name.withEscapedControls
        noteBytes = event.note?.value?.count
        reason = event.reason?.withEscapedControls
        effect = values.kind.rawValue
        isBeforeKnown = values.isBeforeKnown
        changes = values.changes.map { change in
            Change(
                name: change.name, before: change.before?.shortened(to: valueLength),
                after: change.after?.shortened(to: valueLength))
        }
    }
}
