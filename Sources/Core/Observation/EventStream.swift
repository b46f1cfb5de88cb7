/// The events of a log, in order.
///
/// A stream with an end stops there. A stream without an end continues with each new event.
/// ``DataStore/events(after:through:)`` and ``DataStore/events(after:)`` return streams.
///
/// Each iteration reads independently, in chunks, and only when the next event is requested. A slow receiver delays no other
/// code, and unread events take no memory. The iteration of a cancelled task ends without an error.
public struct EventStream: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = Event

    private let cursor: Result<EventCursor, any Error>
    private let end: SequenceNumber?

    /// - Parameter end: The last event to read, or `nil` to continue with each new event.
    init(through end: SequenceNumber? = nil, _ cursor: () throws -> EventCursor) {
        self.cursor = Result(catching: cursor)
        self.end = end
    }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(cursor, through: end) }

    /// Reads the events in order.
    public struct Iterator: AsyncIteratorProtocol {
        private var events: EndingCursor<Event>

        init(_ cursor: Result<EventCursor, any Error>, through end: SequenceNumber?) {
            events = EndingCursor(cursor, through: end) { event, reader, log in try log.event(event, find: reader.event)
            }
        }

        /// The next event. Waits if there is none yet.
        ///
        /// Returns `nil` after the last event of a stream with an end, and after the task was cancelled.
        ///
        /// - Throws: ``DataStoreError``: `closed`, `storeCleared`, `lagged`, `logDamaged`, `newerFormat`.
        public mutating func next() async throws -> Event? { try await events.next() }
    }
}

/// A chunked cursor that ends after an error, or when its task is cancelled.
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

    /// The next element, or `nil` at the end.
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
