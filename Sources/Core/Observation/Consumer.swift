/// A named reader of the log with a durable position.
///
/// A consumer is for code that must process every event once, also across restarts, for example a search index, an export or a
/// relay.
///
/// ```swift
/// let consumer = try await store.consumer(named: "search")
/// for try await event in consumer.events() {
///     try await index.take(event)
///     if event.isLastInCommit { try await consumer.advance(to: event.position) }
/// }
/// ```
///
/// After a restart, the events after the last ``advance(to:)`` are read again. Compaction keeps the events that a consumer has
/// not read, unless these events are too many. Then the consumer lapses, and its events end with the error `lagged`.
/// Remove a lapsed consumer with ``remove()``, and register it again.
public struct Consumer: Sendable {
    /// The consumer's name.
    public let name: String
    /// The log for which the consumer was registered.
    private let log: FollowedLog

    init(name: String, log: FollowedLog) {
        self.name = name
        self.log = log
    }

    /// The last event that the consumer has advanced to.
    ///
    /// - Throws: ``DataStoreError``: `notFound` if the consumer was removed; `closed`, `suspended`, `storeCleared`.
    public var position: Position {
        get throws {
            guard let position = try log.present().log.read({ try $0.position(of: name) }) else {
                throw ConsumerName.notFound(name)
            }
            return position
        }
    }

    /// The events after the consumer's position, without gaps, followed by each new event.
    ///
    /// The stream works like ``DataStore/events(after:)-(Position)``. Reading an event does not move the consumer's position:
    /// call ``advance(to:)`` for that.
    public func events() -> EventStream {
        EventStream {
            let (position, log) = (try position, try log.present().log)
            // The outbox never lapses. Compaction keeps the events that it still has to send, and the outbox tolerates gaps.
            guard position != .start, name != ConsumerName.outbox else {
                return try EventCursor(log, keptAfter: position.sequence)
            }
            try log.check(position)
            return EventCursor(log, everythingAfter: position.sequence)
        }
    }

    /// Moves the consumer to `position`, which means that all events up to there are processed. The move is durable on return.
    ///
    /// Each call is a write with its own sync, so advance after a batch of events. Below the floor of a compacted log, exact
    /// positions do not exist. A new consumer that advances to such a position stays at the start until it has passed the
    /// floor.
    ///
    /// - Throws: ``DataStoreError``: `invalidPosition` if `position` is before the consumer's position, after the log's head,
    ///   or on another log; `lagged` if the consumer has lapsed; `notFound` if it was removed; and the errors of
    ///   ``DataStore/write(requireParents:estimatedByteCount:_:)``.
    public func advance(to position: Position) async throws {
        try await write { [name] in try $0.advanceConsumer(name, to: position) }
    }

    /// Removes the consumer, so that the log keeps no events for it. If it was removed before, nothing happens.
    ///
    /// - Throws: ``DataStoreError``: the errors of ``DataStore/write(requireParents:estimatedByteCount:_:)``.
    public func remove() async throws {
        try await write { [name] in $0.removeConsumer(name) }
    }

    private func write(_ body: @escaping @Sendable (StoreTransaction) throws -> Void) async throws {
        let (log, writer) = try log.present()
        guard let writer else { throw DataStoreError.readOnly }
        do {
            _ = try await writer.write(body)
        } catch let error as DataStoreError where error.code == .closed {
            throw log.feed.endReason ?? error
        }
    }
}

extension DataStore {
    /// The consumer called `name`. It is registered if it does not exist. From then on, the log keeps the events that it has
    /// not read.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, `_`, `-` and `.`; not `outbox`.
    ///   - position: The start of a new consumer: the log's start, or ``head`` for only those events that follow.
    /// - Throws: ``DataStoreError``: `invalidValue` if the name is not allowed; `invalidPosition`; and the errors of
    ///   ``write(requireParents:estimatedByteCount:_:)``.
    public func consumer(named name: String, startingAfter position: Position = .start) async throws -> Consumer {
        try ConsumerName.check(name)
        let (log, writer) = try followed()
        if try log.read({ try $0.position(of: name) }) == nil {
            guard let writer else { throw DataStoreError.readOnly }
            _ = try await writer.write { try $0.registerConsumer(name, at: position) }
        }
        return Consumer(name: name, log: log)
    }

    /// The position of the outbox.
    package var outboxPosition: Position {
        get throws { try followedLog().read { try $0.position(of: ConsumerName.outbox) } ?? .start }
    }

    /// The consumer with which the sync engine reads the log.
    package var outbox: Consumer {
        get throws { Consumer(name: ConsumerName.outbox, log: try followedLog()) }
    }
}
