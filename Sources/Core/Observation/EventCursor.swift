/// A forward reader of the log, in memory. Between two reads it holds no view of the log, so it may take its time.
struct EventCursor: Sendable {
    let log: FollowedLog
    /// The event after which the cursor reads on.
    private(set) var sequence: SequenceNumber
    /// How far compaction had come when the cursor last read.
    private var compaction: CompactionMark?

    /// A cursor that misses nothing: it reads every event after `sequence`, or is told that it cannot.
    init(_ log: FollowedLog, everythingAfter sequence: SequenceNumber) {
        self.log = log
        self.sequence = sequence
    }

    /// A cursor that reads what the log has kept after `sequence`; from then on it misses nothing.
    init(_ log: FollowedLog, keptAfter sequence: SequenceNumber) throws {
        self.log = log
        self.sequence = sequence
        compaction = try log.compaction()
    }

    /// Hands the events up to `end`, and the view of the log that they are read from, to `body`, in order, until it returns
    /// false.
    ///
    /// - Throws: ``DataStoreError``: `lagged` if compaction has overtaken the cursor; `closed`, `storeCleared`,
    ///   `logDamaged`; what `body` throws. The cursor stays where it was then.
    mutating func read(through end: SequenceNumber, _ body: (EventView, LogReader) throws -> Bool) throws {
        var place = sequence
        compaction = try log.read { reader in
            let now = CompactionMark(try reader.metadata())
            // Below the floor a reader sees what was kept; it must not be thinned out between two looks at it.
            if place < now.floor, compaction != now { throw DataStoreError.lagged(after: place, floor: now.floor) }
            var isStopped = false
            try reader.forEach(after: place) { event in
                guard event.sequence <= end else { return false }
                place = event.sequence
                isStopped = try !body(event, reader)
                return !isStopped
            }
            if !isStopped { place = max(place, end) }
            return now
        }
        sequence = place
    }
}

/// Reads a log in chunks and hands out, one at a time, what its events are turned into.
struct ChunkedCursor<Element> {
    private var cursor: EventCursor
    private let transform: (EventView, LogReader, FollowedLog) throws -> Element?
    /// The last event that is read; `nil` to read each new event as it comes.
    private let end: SequenceNumber?
    private var chunk: [Element] = []
    private var position = 0
    /// What stopped the reading: thrown after what was read before it.
    private var failure: (any Error)?

    /// What one chunk holds at most: this is all the memory that a reader takes, however far behind it is.
    private static var chunkEventCount: Int { 256 }
    private static var chunkByteCount: Int { 1 << 20 }

    /// - Parameters:
    ///   - end: The last event that is read; `nil` to read each new event as it comes.
    ///   - transform: Makes an element of an event, given the view of the log that the event is read from, or `nil` to
    ///     leave the event out.
    init(
        _ cursor: EventCursor, through end: SequenceNumber? = nil,
        transform: @escaping (EventView, LogReader, FollowedLog) throws -> Element?
    ) {
        self.cursor = cursor
        self.end = end
        self.transform = transform
    }

    /// The next element; waits for it if there is none yet. `nil` after the end.
    mutating func next() async throws -> Element? {
        while true {
            try Task.checkCancellation()
            if position < chunk.count {
                defer { position += 1 }
                return chunk[position]
            }
            if let failure { throw failure }
            chunk.removeAll(keepingCapacity: true)
            position = 0
            if let end, cursor.sequence >= end { return nil }
            let head = min(try await cursor.log.waitForEvents(after: cursor.sequence), end ?? SequenceNumber(.max))
            do { try fill(through: head) } catch { failure = error }
            // Nothing for this reader among many events: others have their turn.
            if chunk.isEmpty, failure == nil, cursor.sequence < head { await Task.yield() }
        }
    }

    private mutating func fill(through head: SequenceNumber) throws {
        var eventCount = 0
        var byteCount = 0
        let log = cursor.log
        try cursor.read(through: head) { event, reader in
            eventCount += 1
            if let element = try transform(event, reader, log) {
                chunk.append(element)
                byteCount += event.bytes.count
            }
            return eventCount < Self.chunkEventCount && byteCount < Self.chunkByteCount
        }
    }
}
