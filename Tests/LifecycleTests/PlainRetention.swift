import Tidelog

@testable import TidelogCore

/// The events that a compaction keeps if only the outbox reads the log. This type finds them from the events alone, in
/// the simplest way and with as much memory as that needs.
struct PlainRetention {
    /// The events that are kept, in order.
    private(set) var kept: [SequenceNumber] = []
    private let floor: SequenceNumber
    private let outbox: SequenceNumber
    private let isLocalOnly: Bool
    private let isAged: Bool

    /// - Parameter isAged: Whether every tombstone is old enough to be dropped.
    init(_ store: DataStore, isAged: Bool) throws {
        let events = try store.allEvents()
        floor = try store.head.sequence
        outbox = try store.outboxPosition.sequence
        isLocalOnly =
            try store.outboxPosition == .start
            && events.allSatisfy {
                $0.origin == .local && $0.serverState == nil && $0.answer == nil && $0.note == nil
            }
        self.isAged = isAged
        var records: [[UInt8]: [Event]] = [:]
        for event in events where event.model != nil { records[event.key, default: []].append(event) }
        let keptOfRecords = Set(records.values.flatMap { sequencesKept(of: $0) })
        var notes: [[UInt8]: Event] = [:]
        for event in events { if let note = event.note { notes[Array(note.name.utf8)] = event } }
        let keptNotes = Set(notes.values.filter { $0.note?.value != nil }.map(\.sequence))
        kept = events.map(\.sequence).filter { keptOfRecords.contains($0) || keptNotes.contains($0) }
        kept += events.filter { $0.kind == .schemaChanged }.map(\.sequence)
        kept.sort()
    }

    private func sequencesKept(of events: [Event]) -> [SequenceNumber] {
        let latest = events.last { $0.changesRow }
        let pinned = isLocalOnly ? nil : firstPinned(of: events)
        var told: Event?
        for event in events {
            if event.kind == .leftScope { told = nil }
            if event.kind == .received || event.kind == .acknowledged, event.serverState != nil { told = event }
        }
        if let latest, latest.record == nil, pinned == nil, isAged, told.map({ $0.sequence <= floor }) ?? true,
            isLocalOnly || !latest.isLocalChange || latest.sequence <= outbox
        {
            return []
        }
        // If the latest event changes nothing, it repeats an earlier event. A store that never had a server keeps the
        // earlier event too, because it may upload the record one day.
        let repeated =
            isLocalOnly && latest?.record != nil ? events.last { $0.changesRow && !$0.isUnchanged } : nil
        return events.map(\.sequence).filter { sequence in
            sequence == latest?.sequence || sequence == told?.sequence || sequence == repeated?.sequence
                || sequence == told?.answer?.mutation.sequence || pinned.map { sequence >= $0 } ?? false
        }
    }

    /// The first of the events that the oldest pending change of a record needs, or `nil` if no change is pending. All
    /// events from this one on are kept. It is the event of the row from which the change started or, without such a
    /// row, the change.
    private func firstPinned(of events: [Event]) -> SequenceNumber? {
        guard let pending = events.first(where: { $0.isLocalChange && $0.sequence > outbox }) else { return nil }
        return pending.previous == .zero ? pending.sequence : pending.previous
    }
}

extension Event {
    /// Whether the event is a change that was made on this device.
    fileprivate var isLocalChange: Bool {
        (kind == .saved && !isUnchanged || kind == .deleted) && origin == .local && !isMigrated
    }

    /// Whether the event is a save that changes nothing.
    fileprivate var isUnchanged: Bool { kind == .saved && changedFields.isEmpty }
}
