/// The events of a log, in order, up to the stream's end, or continued with each new event if it has none:
/// ``DataStore/events(after:)-(SequenceNumber)`` and ``DataStore/events(after:through:)`` return it.
///
/// Each iteration reads on its own, in chunks, and only when it is asked for the next event. A receiver that takes its
/// time holds up nobody and takes no memory. A cancelled task's iteration ends without an error.
public struct EventStream: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = Event

    private let cursor: Result<EventCursor, any Error>
    private let end: SequenceNumber?

    /// - Parameter end: The last event that is read; `nil` to read each new event as it comes.
    init(through end: SequenceNumber? = nil, _ cursor: () throws -> EventCursor) {
        self.cursor = Result(catching: cursor)
        self.end = end
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(cursor, through: end) }

    /// Reads the events one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        private var events: EndingCursor<Event>

        init(_ cursor: Result<EventCursor, any Error>, through end: SequenceNumber?) {
            events = EndingCursor(cursor, through: end) { event, reader, log in try log.event(event, find: reader.event)
            }
        }

        /// The next event; waits for it if there is none yet. `nil` after the last event of a stream that has an end, and
        /// once the task is cancelled.
        ///
        /// - Throws: ``DataStoreError``: `closed`, `storeCleared`, `lagged`, `logDamaged`, `newerFormat`.
        public mutating func next() async throws -> Event? { try await events.next() }
    }
}

/// A chunked cursor that ends: after an error, or when its task is cancelled.
struct EndingCursor<Element> {
    private var failure: (any Error)?
    private var cursor: ChunkedCursor<Element>?

    init(
        _ cursor: Result<EventCursor, any Error>, through end: SequenceNumber? = nil,
        transform: @escaping (EventView, LogReader, FollowedLog) throws -> Element?
    ) {
        do {
            self.cursor = ChunkedCursor(try cursor.get(), through: end, transform: transform)
        } catch {
            failure = error
        }
    }

    /// The next element; `nil` at the end.
    mutating func next() async throws -> Element? {
        if let failure {
            self.failure = nil
            throw failure
        }
        do {
            return try await cursor?.next()
        } catch {
            cursor = nil
            if error is CancellationError { return nil }
            throw error
        }
    }
}
