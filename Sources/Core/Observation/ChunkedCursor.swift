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
            do { try await fill() } catch let error as DataStoreError where error.code == .suspended {
                // The cursor has not moved, so the elements of the chunk are read again.
                chunk.removeAll(keepingCapacity: true)
                try await cursor.resume()
            }
        }
    }

    /// Reads the next chunk. Waits if there is none yet.
    private mutating func fill() async throws {
        let head = min(try await cursor.log.waitForEvents(after: cursor.sequence), end ?? SequenceNumber(.max))
        do { try fill(through: head) } catch {
            if (error as? DataStoreError)?.code == .suspended { throw error }
            failure = error
        }
        // Many events had no element for this reader. Other tasks can run now.
        if chunk.isEmpty, failure == nil, cursor.sequence < head { await Task.yield() }
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
