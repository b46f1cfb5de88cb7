internal import TidelogLMDB

/// A consistent view of the log. Everything it hands out is verified, and valid until the view ends.
struct LogReader {
    private let reader: ReadTransaction
    private let keyspaces: EventLog.Keyspaces

    init(_ reader: ReadTransaction, _ keyspaces: EventLog.Keyspaces) {
        self.reader = reader
        self.keyspaces = keyspaces
    }

    /// The place after the last event: the floor, where compaction has dropped everything above the last one kept.
    func head() throws -> Position? {
        let floor = try metadata().floor
        guard let entry = try reader.cursor(keyspaces.events).last(),
            try Self.number(entry.key) > floor.sequence.value
        else { return floor.sequence == .zero ? nil : floor }
        let event = try verified(entry)
        return Position(sequence: event.sequence, chain: event.chain)
    }

    /// The event at `sequence`, `nil` if there is none.
    func event(at sequence: SequenceNumber) throws -> EventView? {
        try withIntegerKey(sequence.value) { key in
            guard let bytes = try reader.get(keyspaces.events, key) else { return nil }
            return try Self.verified(bytes, sequence.value)
        }
    }

    /// Hands the events after `sequence` to `body`, in order, until it returns false.
    func forEach(after sequence: SequenceNumber, _ body: (EventView) throws -> Bool) throws {
        let cursor = try reader.cursor(keyspaces.events)
        guard sequence.value < .max else { return }
        var entry = try withIntegerKey(sequence.value + 1) { key in try cursor.seek(atLeast: key) }
        var last = sequence
        while let current = entry {
            let event = try verified(current)
            // A damaged tree can lead in circles.
            guard event.sequence > last else { throw EventLog.damaged("has event \(event.sequence) after \(last)") }
            last = event.sequence
            guard try body(event) else { return }
            entry = try cursor.next()
        }
    }

    /// Hands every stored event's bytes from number `first` on to `body`, verified or not, in ascending order: for checking.
    ///
    /// - Returns: the key of the first event that is out of order, if there is one: it and what follows are not handed
    ///   out, since a damaged tree can lead in circles. `nil` if `body` has seen everything, or returned false.
    func forEachUnverified(
        from first: UInt64 = 0, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws -> UInt64? {
        let cursor = try reader.cursor(keyspaces.events)
        var entry = try first == 0 ? cursor.first() : withIntegerKey(first) { try cursor.seek(atLeast: $0) }
        var last = first == 0 ? 0 : first - 1
        while let current = entry {
            let sequence = try Self.number(current.key)
            guard sequence > last else { return sequence }
            guard try body(sequence, current.value) else { return nil }
            last = sequence
            entry = try cursor.next()
        }
        return nil
    }

    /// The number of the last event stored, damaged or not, or of the floor.
    func lastSequence() throws -> SequenceNumber {
        let stored = try reader.cursor(keyspaces.events).last().map { SequenceNumber(try Self.number($0.key)) }
        return max(stored ?? .zero, try metadata().floor.sequence)
    }

    /// The bytes of the pages that events take.
    func eventByteCount() throws -> Int { try reader.statistics(keyspaces.events).byteCount }

    /// How many events are stored.
    func eventCount() throws -> Int { try reader.entryCount(keyspaces.events) }

    /// The place of the consumer called `name`, `nil` if it was never moved.
    func position(of name: String) throws -> Position? {
        try reader.value(name, in: keyspaces.consumers).map(Self.position)
    }

    /// All consumers and their places.
    func consumers() throws -> [(name: String, position: Position)] {
        let cursor = try reader.cursor(keyspaces.consumers)
        var consumers: [(String, Position)] = []
        var entry = try cursor.first()
        var last: [UInt8]?
        while let current = entry {
            // A damaged tree can lead in circles.
            if let last, last.withUnsafeBytes({ ByteComparison.order($0, current.key) >= 0 }) {
                throw EventLog.damaged("has consumers that are out of order")
            }
            last = Array(current.key)
            consumers.append((String(decoding: current.key, as: UTF8.self), try Self.position(current.value)))
            entry = try cursor.next()
        }
        return consumers
    }

    /// All consumers and how far they have come, by name.
    func consumerStatuses() throws -> [ConsumerStatus] {
        let head = try head()?.sequence ?? metadata().floor.sequence
        return try consumers().map { name, position in
            let lag = head.value - min(head.value, position.sequence.value)
            return ConsumerStatus(name: name, position: position, lag: lag)
        }
    }

    /// The `schemaChanged` events' places by schema version.
    func schemaSequences() throws -> [(version: UInt32, sequence: SequenceNumber)] {
        let cursor = try reader.cursor(keyspaces.schemas)
        var sequences: [(version: UInt32, sequence: SequenceNumber)] = []
        var entry = try cursor.first()
        while let current = entry {
            guard current.value.count == 8, let base = current.value.baseAddress else {
                throw EventLog.damaged("has a damaged index of schemas")
            }
            guard let version = UInt32(exactly: try Self.number(current.key)), version > sequences.last?.version ?? 0
            else { throw EventLog.damaged("has an index of schemas that is out of order") }
            sequences.append((version, SequenceNumber(UnsafeRawPointer(base).load(0, as: UInt64.self))))
            entry = try cursor.next()
        }
        return sequences
    }

    /// The log's metadata as this view sees it.
    func metadata() throws -> LogMetadata { try LogMetadata(reader, keyspaces.meta) }

    private static func position(_ bytes: UnsafeRawBufferPointer) throws -> Position {
        guard bytes.count == 16, let base = bytes.baseAddress else {
            throw EventLog.damaged("has a damaged position of a consumer")
        }
        let pointer = UnsafeRawPointer(base)
        return Position(
            sequence: SequenceNumber(pointer.load(0, as: UInt64.self)), chain: pointer.load(8, as: UInt64.self))
    }

    @inline(__always)
    private static func number(_ key: UnsafeRawBufferPointer) throws -> UInt64 {
        guard key.count == MemoryLayout<UInt64>.size else { throw EventLog.damaged("has a key of \(key.count) bytes") }
        return UInt64(integerKey: key)
    }

    @inline(__always)
    private func verified(_ entry: Cursor.Entry) throws -> EventView {
        try Self.verified(entry.value, Self.number(entry.key))
    }

    @inline(__always)
    static func verified(_ bytes: UnsafeRawBufferPointer, _ sequence: UInt64) throws -> EventView {
        do throws(EventDamage) { return try EventView(verifying: bytes, expecting: sequence) } catch {
            throw DataStoreError.damagedEvent(error, at: SequenceNumber(sequence))
        }
    }
}

extension DataStoreError {
    static func damagedEvent(_ damage: EventDamage, at sequence: SequenceNumber) -> DataStoreError {
        if damage.isNewer {
            return DataStoreError(
                .newerFormat, "Event \(sequence) was written by a newer version: \(damage).",
                recovery: "Open the store with the version of Tidelog that wrote it, or a newer one.")
        }
        return DataStoreError(
            .logDamaged, "Event \(sequence) is damaged: \(damage).",
            recovery: "Salvage the good events with `tidelog verify --salvage`.")
    }
}
