internal import TidelogLMDB

/// A consistent view of the log: the events of its environment and the recent events.
///
/// All events that it returns are verified, and are valid until the view ends.
struct LogReader {
    private let reader: ReadTransaction
    private let keyspaces: LogKeyspaces
    private let recent: RecentEvents.View

    /// - Parameter recent: A view that was taken before `reader` began, so that each group is in one of the two.
    init(_ reader: ReadTransaction, _ keyspaces: LogKeyspaces, _ recent: RecentEvents.View) {
        self.reader = reader
        self.keyspaces = keyspaces
        self.recent = recent
    }

    /// The position after the last event. If the log has no event above its floor, this is the floor. The result is `nil`
    /// if the log has neither events nor a floor.
    func head() throws -> Position? {
        let floor = try metadata().floor
        let stored = try reader.cursor(keyspaces.events).last()
        let number = try stored.map { try Self.number($0.key) } ?? 0
        if recent.hasEvents, recent.end.sequence.value >= number { return recent.end }
        guard let stored, number > floor.sequence.value else { return floor.sequence == .zero ? nil : floor }
        let event = try verified(stored)
        return Position(sequence: event.sequence, chain: event.chain)
    }

    /// The last position in the environment. This method does not check whether the last event is whole.
    func storedEnd() throws -> Position {
        let floor = try metadata().floor
        guard let entry = try reader.cursor(keyspaces.events).last(), let base = entry.value.baseAddress,
            entry.value.count >= EventFormat.headerByteCount, case let number = try Self.number(entry.key),
            number > floor.sequence.value
        else { return floor }
        return Position(
            sequence: SequenceNumber(number),
            chain: UnsafeRawPointer(base).load(EventFormat.Offset.chain, as: UInt64.self))
    }

    /// The event at `sequence`, `nil` if there is none.
    @inline(__always)
    func event(at sequence: SequenceNumber) throws -> EventView? {
        if let bytes = recent.event(sequence.value) { return try EventView.verified(bytes, sequence.value) }
        return try withIntegerKey(sequence.value) { key in
            guard let bytes = try reader.get(keyspaces.events, key) else { return nil }
            return try EventView.verified(bytes, sequence.value)
        }
    }

    /// Passes the events after `sequence` to `body`, in order, until `body` returns false.
    func forEach(after sequence: SequenceNumber, _ body: (EventView) throws -> Bool) throws {
        guard sequence.value < .max else { return }
        var last = sequence.value
        let strayed = try forEachUnverified(from: last + 1) { number, bytes in
            last = number
            return try body(EventView.verified(bytes, number))
        }
        // In a damaged tree the cursor may return to earlier keys, without an end.
        if let strayed { throw DataStoreError.damagedLog("has event \(strayed) after \(last)") }
    }

    /// Passes the bytes of each stored event from number `first` on to `body`, in ascending order, for a check of the
    /// log. The bytes are not verified.
    ///
    /// - Returns: The key of the first event that is out of order. The scan ends there, because a cursor in a damaged
    ///   tree may return to earlier keys without an end. The result is `nil` if `body` has seen all events, or has
    ///   returned false.
    func forEachUnverified(
        from first: UInt64 = 0, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws -> UInt64? {
        var scan = Scan(next: first)
        guard recent.hasEvents else { return try forEachStored(&scan, below: .max, body) }
        let strayed = try forEachStored(&scan, below: recent.first, body)
        guard strayed == nil, !scan.isStopped else { return strayed }
        scan.next = max(scan.next, recent.first)
        while let bytes = recent.event(scan.next) {
            guard try body(scan.next, bytes) else { return nil }
            scan.next += 1
        }
        // The environment may have absorbed further events since the view was taken.
        return try forEachStored(&scan, below: .max, body)
    }

    /// The progress of a scan.
    private struct Scan {
        /// The number of the next event.
        var next: UInt64
        var isStopped = false
    }

    /// Passes the stored events from `scan` on to `body`, up to but without the number `end`. Returns a key that is out
    /// of order, if there is one.
    private func forEachStored(
        _ scan: inout Scan, below end: UInt64, _ body: (UInt64, UnsafeRawBufferPointer) throws -> Bool
    ) throws -> UInt64? {
        guard scan.next < end else { return nil }
        let cursor = try reader.cursor(keyspaces.events)
        var entry = try scan.next == 0 ? cursor.first() : withIntegerKey(scan.next) { try cursor.seek(atLeast: $0) }
        while let current = entry {
            let number = try Self.number(current.key)
            guard number >= scan.next, number > 0 else { return number }
            guard number < end else { return nil }
            guard try body(number, current.value) else {
                scan.isStopped = true
                return nil
            }
            guard number < .max else { return nil }
            scan.next = number + 1
            entry = try cursor.next()
        }
        return nil
    }

    /// The number of the last event, damaged or not. If the floor is higher, this is the floor.
    func lastSequence() throws -> SequenceNumber {
        let stored = try reader.cursor(keyspaces.events).last().map { SequenceNumber(try Self.number($0.key)) }
        let last = recent.hasEvents ? recent.end.sequence : .zero
        return max(stored ?? .zero, last, try metadata().floor.sequence)
    }

    /// The bytes that the events take.
    func eventByteCount() throws -> Int { try reader.statistics(keyspaces.events).byteCount + recent.byteCount }

    /// How many events there are.
    func eventCount() throws -> Int {
        let stored = try reader.entryCount(keyspaces.events)
        guard recent.hasEvents else { return stored }
        let last = try reader.cursor(keyspaces.events).last().map { try Self.number($0.key) } ?? 0
        let end = recent.end.sequence.value
        return stored + Int(end - min(max(last, recent.first - 1), end))
    }

    /// The position of the consumer called `name`, `nil` if it has none.
    func position(of name: String) throws -> Position? {
        if let moved = try movedConsumers()[name] { return moved }
        return try reader.value(name, in: keyspaces.consumers).map(Self.position)
    }

    /// The positions of consumers that were moved after the environment was last written.
    private func movedConsumers() throws -> [String: Position?] {
        guard !recent.consumers.isEmpty else { return [:] }
        return try LogMetadata.absorbedGroup(reader, keyspaces.meta) < recent.frame ? recent.consumers : [:]
    }

    /// All consumers and their positions.
    func consumers() throws -> [(name: String, position: Position)] {
        let cursor = try reader.cursor(keyspaces.consumers)
        var moved = try movedConsumers()
        var consumers: [(name: String, position: Position)] = []
        var entry = try cursor.first()
        var last: [UInt8]?
        while let current = entry {
            // In a damaged tree the cursor may return to earlier keys, without an end.
            if let last, last.withUnsafeBytes({ ByteComparison.order($0, current.key) >= 0 }) {
                throw DataStoreError.damagedLog("has consumers that are out of order")
            }
            last = Array(current.key)
            let name = String(decoding: current.key, as: UTF8.self)
            let position = try moved.removeValue(forKey: name) ?? Self.position(current.value)
            if let position { consumers.append((name, position)) }
            entry = try cursor.next()
        }
        guard !moved.isEmpty else { return consumers }
        consumers += moved.compactMap { name, position in position.map { (name, $0) } }
        return consumers.sorted { Array($0.name.utf8).lexicographicallyPrecedes(Array($1.name.utf8)) }
    }

    /// All consumers, their positions and how far they lag, by name.
    func consumerStatuses() throws -> [ConsumerStatus] {
        let head = try head()?.sequence ?? metadata().floor.sequence
        return try consumers().map { name, position in
            let lag = head.value - min(head.value, position.sequence.value)
            return ConsumerStatus(name: name, position: position, lag: lag)
        }
    }

    /// The sequence numbers of the `schemaChanged` events, by schema version.
    func schemaSequences() throws -> [(version: UInt32, sequence: SequenceNumber)] {
        let cursor = try reader.cursor(keyspaces.schemas)
        var sequences: [(version: UInt32, sequence: SequenceNumber)] = []
        var entry = try cursor.first()
        while let current = entry {
            guard current.value.count == 8, let base = current.value.baseAddress else {
                throw DataStoreError.damagedLog("has a damaged index of schemas")
            }
            guard let version = UInt32(exactly: try Self.number(current.key)), version > sequences.last?.version ?? 0
            else { throw DataStoreError.damagedLog("has an index of schemas that is out of order") }
            sequences.append((version, SequenceNumber(UnsafeRawPointer(base).load(0, as: UInt64.self))))
            entry = try cursor.next()
        }
        return sequences
    }

    /// The metadata of the log in this view.
    func metadata() throws -> LogMetadata { try LogMetadata(reader, keyspaces.meta) }

    private static func position(_ bytes: UnsafeRawBufferPointer) throws -> Position {
        guard bytes.count == 16, let base = bytes.baseAddress else {
            throw DataStoreError.damagedLog("has a damaged position of a consumer")
        }
        let pointer = UnsafeRawPointer(base)
        return Position(
            sequence: SequenceNumber(pointer.load(0, as: UInt64.self)), chain: pointer.load(8, as: UInt64.self))
    }

    @inline(__always)
    private static func number(_ key: UnsafeRawBufferPointer) throws -> UInt64 {
        guard key.count == MemoryLayout<UInt64>.size else {
            throw DataStoreError.damagedLog("has a key of \(key.count) bytes")
        }
        return UInt64(integerKey: key)
    }

    @inline(__always)
    private func verified(_ entry: Cursor.Entry) throws -> EventView {
        try EventView.verified(entry.value, Self.number(entry.key))
    }

    // MARK: Positions

    /// Checks that `position` belongs to this log.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidPosition` if the position does not belong to this log. The code
    ///   is `lagged` if the position is below the floor, because compaction may have dropped events after it.
    func check(_ position: Position) throws {
        guard position != .start else { return }
        let floor = try metadata().floor
        guard position.sequence >= floor.sequence else {
            throw DataStoreError.lagged(after: position.sequence, floor: floor.sequence)
        }
        let chain = position.sequence == floor.sequence ? floor.chain : try event(at: position.sequence)?.chain
        guard chain == position.chain else {
            throw DataStoreError(
                .invalidPosition, "The position at event \(position.sequence) does not lie on this log.",
                recovery: "Use positions of this store only, as its events and consumers give them.")
        }
    }

    /// A consistent view of an open log. Each view must be ended with ``end()``.
    struct View {
        let transaction: ReadTransaction
        let files: LogFiles
        let recent: RecentEvents.View

        var reader: LogReader { LogReader(transaction, files.keyspaces, recent) }

        func end() { files.end(transaction) }
    }
}
