/// A cursor that reads the log forward, in memory. It holds no view of the log between two reads, so it may be slow.
struct EventCursor: Sendable {
    let log: FollowedLog
    /// The last event that the cursor has read. The next read begins after it.
    private(set) var sequence: SequenceNumber
    /// The state of compaction at the cursor's last read.
    private var compaction: CompactionMark?

    /// Makes a cursor that reads every event after `sequence`, or throws if events after it were dropped.
    init(_ log: FollowedLog, everythingAfter sequence: SequenceNumber) {
        self.log = log
        self.sequence = sequence
    }

    /// Makes a cursor that first reads the events that the log still has after `sequence`, and then misses none.
    init(_ log: FollowedLog, keptAfter sequence: SequenceNumber) throws {
        self.log = log
        self.sequence = sequence
        compaction = try log.compaction()
    }

    /// Passes the events up to `end` to `body`, in order, until it returns false. `body` also gets the view of the log.
    ///
    /// - Throws: ``DataStoreError``: `lagged` if compaction has overtaken the cursor; `closed`, `storeCleared`, `logDamaged`;
    ///   and any error of `body`. After an error, the cursor has not moved.
    mutating func read(through end: SequenceNumber, _ body: (EventView, LogReader) throws -> Bool) throws {
        var place = sequence
        compaction = try log.read { reader in
            let now = CompactionMark(try reader.metadata())
            // Below the floor, events have gaps. No further event may be dropped between two reads of this cursor.
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

/// Reads a log in chunks, and returns one by one the elements that are made from its events.
struct ChunkedCursor<Element> {
    private var cursor: EventCursor
    private let transform: (EventView, LogReader, FollowedLog) throws -> Element?
    /// The last event to read, or `nil` to continue with each new event.
    private let end: SequenceNumber?
    private var chunk: [Element] = []
    private var position = 0
    /// The error that stopped the reading. It is thrown after the elements that were read before it.
    private var failure: (any Error)?

    /// The largest chunk. This limits the memory of a reader, no matter how many events are unread.
    private static var chunkEventCount: Int { 256 }
    private static var chunkByteCount: Int { 1 << 20 }

    /// - Parameters:
    ///   - end: The last event to read, or `nil` to continue with each new event.
    ///   - transform: Makes an element from an event and the view of the log that shows it. Returns `nil` to leave the event
    ///     out.
    init(
        _ cursor: EventCursor, through end: SequenceNumber? = nil,
        transform: @escaping (EventView, LogReader, FollowedLog) throws -> Element?
    ) {
        self.cursor = cursor
        self.end = end
        self.transform = transform
    }

    /// The next element. Waits if there is none yet. Returns `nil` after the end.
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
            // Many events had no element for this reader. Other tasks can run now.
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
