import Tidelog

@testable import TidelogCore

/// What a compaction keeps where nobody reads the log but the outbox, worked out from the events alone: plainly, and with as
/// much memory as it takes.
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
            && events.allSatisfy { $0.origin == .local && $0.serverState == nil && $0.answer == nil }
        self.isAged = isAged
        var records: [[UInt8]: [Event]] = [:]
        for event in events where event.model != nil { records[event.key, default: []].append(event) }
        let keptOfRecords = Set(records.values.flatMap { sequencesKept(of: $0) })
        kept = events.filter { $0.model == nil || keptOfRecords.contains($0.sequence) }.map(\.sequence)
    }

    private func sequencesKept(of events: [Event]) -> [SequenceNumber] {
        let latest = events.last { $0.kind.changesRow }
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
        // A store that never knew a server uploads one day what the latest events repeat.
        let repeated =
            isLocalOnly && latest?.record != nil ? events.last { $0.kind.changesRow && !$0.isUnchanged } : nil
        return events.map(\.sequence).filter { sequence in
            sequence == latest?.sequence || sequence == told?.sequence || sequence == repeated?.sequence
                || sequence == told?.answer?.mutation.sequence || pinned.map { sequence >= $0 } ?? false
        }
    }

    /// The first event of a record that is kept with everything behind it, for the server's sake.
    private func firstPinned(of events: [Event]) -> SequenceNumber? {
        let pending = events.first { $0.isLocalChange && $0.sequence > outbox }?.sequence
        var base: SequenceNumber?
        var refused: SequenceNumber?
        for event in events where event.origin == .remote {
            if event.kind == .rejected {
                refused = refused ?? event.answer?.mutation.sequence ?? event.sequence
                continue
            }
            refused = nil
            let confirmed =
                event.kind == .acknowledged ? event.answer?.mutation.sequence ?? event.sequence : event.sequence
            if let pending, confirmed < pending { base = max(base ?? .zero, confirmed) }
        }
        return [base ?? pending, refused].compactMap { $0 }.min()
    }
}

extension Event {
    /// Whether the event is a change that was made here.
    fileprivate var isLocalChange: Bool {
        (kind == .saved && !isUnchanged || kind == .deleted) && origin == .local && !isMigrated
    }

    /// Whether the event is a save that changes nothing.
    fileprivate var isUnchanged: Bool { kind == .saved && changedFields.isEmpty }
}
