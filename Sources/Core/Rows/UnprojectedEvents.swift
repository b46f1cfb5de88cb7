internal import TidelogSynchronization

/// The events that are in the log but not in the rows yet, and the records and notes to which they belong.
final class UnprojectedEvents: Sendable {
    private let state = Mutex(State())
    /// The number of these events, for callers that need only the number.
    private let eventCount = Atomic<Int>(0)

    /// How many events are projected without waiting for more.
    static let limit = 1_024
    /// How many events there may be before writes wait until they are projected.
    static let waitingLimit = 4_096
    /// The largest group that is projected later. Larger groups are projected at once, because waiting saves little for them.
    static let groupLimit = 256

    private struct State {
        /// The latest events that changed the rows of records.
        var rows = LatestEvents()
        /// The latest events that changed what is known about a server's states of records.
        var serverStates = LatestEvents()
        /// The latest events of notes, by name.
        var notes = LatestEvents()
        /// The last event that was noted here.
        var last = SequenceNumber.zero
        /// The last event that was projected.
        var projected = SequenceNumber.zero
        /// How many projections there were.
        var projectionCount: UInt64 = 0

        @inline(__always)
        func latest(of key: UnsafeRawBufferPointer, _ model: UInt32, in events: LatestEvents) -> Latest {
            if let latest = events.latest(of: key, model: model) { return .unprojected(latest) }
            return .projected(projectionCount: projectionCount)
        }

        /// Notes the staged event at `index`.
        @inline(__always)
        mutating func note(_ staged: StagedEvents, at index: Int) {
            let event = staged.events[index]
            let sequence = SequenceNumber(staged.sequence(at: index))
            if event.changesRow {
                let latest = LatestEvents.Latest(sequence: sequence, hasValue: event.rowByteCount > 0)
                rows.note(latest, of: staged.key(at: index), model: event.modelNumber)
            }
            guard event.kind.changesServerTables else { return }
            noteServerTables(staged, at: index, event, sequence)
        }

        /// Notes the staged event at `index` if it changes a server's state or a note.
        private mutating func noteServerTables(
            _ staged: StagedEvents, at index: Int, _ event: StagedEvent, _ sequence: SequenceNumber
        ) {
            guard let view = try? staged.view(at: index) else { preconditionFailure("a staged event is valid") }
            switch event.kind {
            case .noted:
                notes.note(.init(sequence: sequence, hasValue: view.noteValue != nil), of: view.key, model: 0)
            case .leftScope:
                serverStates.note(.init(sequence: sequence, hasValue: false), of: view.key, model: event.modelNumber)
            case .received, .acknowledged:
                guard view.serverState != nil else { return }
                serverStates.note(.init(sequence: sequence, hasValue: true), of: view.key, model: event.modelNumber)
            case .saved, .deleted, .rejected, .schemaChanged: break
            }
        }
    }

    /// The place of the latest event of a record or of a note.
    enum Latest {
        /// The event is only in the log.
        case unprojected(LatestEvents.Latest)
        /// The event is in the rows, for readers that begin now or began after `projectionCount` projections.
        case projected(projectionCount: UInt64)
    }

    /// Whether the rows contain all events.
    var isEmpty: Bool {
        @inline(__always) get { eventCount.load(ordering: .acquiring) == 0 }
    }

    /// Whether there are enough events to project them now.
    var isFull: Bool { eventCount.load(ordering: .relaxed) >= Self.limit }

    /// Whether there are so many events that writes wait until they are projected.
    var isOverfull: Bool { eventCount.load(ordering: .relaxed) >= Self.waitingLimit }

    /// The latest event that changed the row of the record with `key`.
    func latest(of key: UnsafeRawBufferPointer, in model: ModelLayout) -> Latest {
        state.withLock { $0.latest(of: key, model.number, in: $0.rows) }
    }

    /// The latest event that changed the server's state of the record with `key`.
    func latestServerState(of key: UnsafeRawBufferPointer, in model: ModelLayout) -> Latest {
        state.withLock { $0.latest(of: key, model.number, in: $0.serverStates) }
    }

    /// The latest event of the note called `name`.
    func latestNote(_ name: UnsafeRawBufferPointer) -> Latest {
        state.withLock { $0.latest(of: name, 0, in: $0.notes) }
    }

    /// Notes the events of `staged` after they were appended, unless they were projected already.
    func append(_ staged: StagedEvents) {
        precondition(staged.count <= Self.groupLimit, "large groups are projected at once")
        let end = SequenceNumber(staged.start.sequence.value + UInt64(staged.count))
        state.withLock { state in
            guard end > state.projected else { return }
            // Groups that were projected at once may lie between the last noted event and this group.
            if state.last <= state.projected { state.projected = staged.start.sequence }
            assert(state.last <= staged.start.sequence, "events are noted in the log's order")
            for index in 0..<staged.count { state.note(staged, at: index) }
            state.last = end
            noteCount(state)
        }
    }

    private func noteCount(_ state: State) {
        let count = state.last > state.projected ? state.last.value - state.projected.value : 0
        eventCount.store(Int(clamping: count), ordering: .releasing)
    }

    /// Removes events that the rows have committed. The commit comes first, so that each event is always in at least one place.
    func finish(upTo sequence: SequenceNumber) {
        state.withLock { state in
            assert(sequence >= state.projected, "projected events stay projected")
            state.rows.removeAll(upTo: sequence)
            state.serverStates.removeAll(upTo: sequence)
            state.notes.removeAll(upTo: sequence)
            state.projected = sequence
            state.projectionCount += 1
            noteCount(state)
        }
    }

    /// The keys whose latest event is in the log but not in the rows yet, each with that event.
    ///
    /// The keys are stored one after another in one array.
    struct LatestEvents {
        /// The latest event of a key.
        struct Latest {
            let sequence: SequenceNumber
            /// Whether the event leaves a value: a row, a server's state, or the value of a note.
            let hasValue: Bool
        }

        private struct Entry {
            let model: UInt32
            let keyRange: Range<Int>
            var latest: Latest
        }

        private var entries: ContiguousArray<Entry> = []
        private var keys: ContiguousArray<UInt8> = []
        /// Finds the entry of each key.
        private let table = KeyTable()

        func latest(of key: UnsafeRawBufferPointer, model: UInt32) -> Latest? {
            table.find(key, model: model) { isEntry($0, of: key, model) }.map { entries[$0].latest }
        }

        mutating func note(_ latest: Latest, of key: UnsafeRawBufferPointer, model: UInt32) {
            let found = table.insert(entries.count, key, model: model, keepsFound: true) { isEntry($0, of: key, model) }
            guard let found else {
                entries.append(Entry(model: model, keyRange: keys.count..<(keys.count + key.count), latest: latest))
                keys.append(contentsOf: key)
                return
            }
            assert(latest.sequence > entries[found].latest.sequence, "sequence numbers rise")
            entries[found].latest = latest
        }

        /// Removes the keys whose latest event is at or before `sequence`.
        mutating func removeAll(upTo sequence: SequenceNumber) {
            guard !entries.isEmpty else { return }
            let oldEntries = entries
            let oldKeys = keys
            entries.removeAll(keepingCapacity: true)
            keys.removeAll(keepingCapacity: true)
            table.removeAll()
            for entry in oldEntries where entry.latest.sequence > sequence {
                oldKeys.withUnsafeBytes { bytes in
                    note(entry.latest, of: UnsafeRawBufferPointer(rebasing: bytes[entry.keyRange]), model: entry.model)
                }
            }
        }

        /// Whether the entry at `index` belongs to `key` and `model`.
        @inline(__always)
        private func isEntry(_ index: Int, of key: UnsafeRawBufferPointer, _ model: UInt32) -> Bool {
            let entry = entries[index]
            guard entry.model == model else { return false }
            return keys.withUnsafeBytes {
                ByteComparison.order(UnsafeRawBufferPointer(rebasing: $0[entry.keyRange]), key) == 0
            }
        }
    }
}
