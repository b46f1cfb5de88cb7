/// A named reader of the log with a durable position: for what must take in every event once, also across restarts (a search
/// index, an export, a relay).
///
/// ```swift
/// let consumer = try await store.consumer(named: "search")
/// for try await event in consumer.events() {
///     try await index.take(event)
///     if event.isLastInCommit { try await consumer.advance(to: event.position) }
/// }
/// ```
///
/// What was read but not yet advanced over comes again after a restart. Compaction keeps what a consumer has not read, unless
/// the consumer lags too far; then it lapses: its events end with `lagged`. Remove it and begin again.
public struct Consumer: Sendable {
    /// The consumer's name.
    public let name: String
    private let log: FollowedLog
    /// `nil` if the store was opened for reading only.
    private let writer: Writer?

    init(name: String, log: FollowedLog, writer: Writer?) {
        self.name = name
        self.log = log
        self.writer = writer
    }

    /// The last event that the consumer has advanced over.
    ///
    /// - Throws: ``DataStoreError``: `notFound` if the consumer was removed; `closed`, `storeCleared`.
    public var position: Position {
        get throws {
            guard let position = try log.read({ try $0.position(of: name) }) else { throw ConsumerName.notFound(name) }
            return position
        }
    }

    /// The events after the consumer's position, without gaps, and then each new one.
    ///
    /// As ``DataStore/events(after:)-(Position)``. An iteration reads on by itself; advancing is up to you.
    public func events() -> EventStream {
        EventStream {
            let position = try position
            // The outbox never lapses: compaction keeps what it has yet to send, and it reads across the holes.
            guard position != .start, name != ConsumerName.outbox else {
                return try EventCursor(log, keptAfter: position.sequence)
            }
            try log.check(position)
            return EventCursor(log, everythingAfter: position.sequence)
        }
    }

    /// Moves the consumer to `position`: what lies before it has been taken in for good. Durable when this returns.
    ///
    /// Each call is a write with a sync of its own; advance after a batch. Below the floor of a compacted log there are no
    /// exact places: a new consumer that advances there stays at the start until it has passed the floor.
    ///
    /// - Throws: ``DataStoreError``: `invalidPosition` if `position` lies before the consumer's, beyond the log's head, or
    ///   on another log; `lagged` if the consumer has lapsed; `notFound` if it was removed; as
    ///   ``DataStore/write(requireParents:_:)``.
    public func advance(to position: Position) async throws {
        guard let writer else { throw DataStoreError.readOnly }
        do {
            _ = try await writer.write { [name] in try $0.advanceConsumer(name, to: position) }
        } catch let error as DataStoreError where error.code == .closed {
            throw log.feed.endReason ?? error
        }
    }
}
