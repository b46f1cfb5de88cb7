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
/// the consumer lags too far; then it lapses: its events end with `lagged`. Remove it and begin anew.
public struct Consumer: Sendable {
    /// The consumer's name.
    public let name: String
    private let log: FollowedLog

    init(name: String, log: FollowedLog) {
        self.name = name
        self.log = log
    }

    /// The last event that the consumer has advanced over.
    ///
    /// - Throws: ``DataStoreError``: `notFound` where the consumer was removed; `closed`, `storeCleared`.
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
    /// - Throws: ``DataStoreError``: `invalidPosition` where `position` lies before the consumer's, beyond the log's head, or
    ///   on another log; `lagged` where the consumer has lapsed; `notFound` where it was removed; as
    ///   ``DataStore/write(requireParents:_:)``.
    public func advance(to position: Position) async throws {
        guard let writer = log.generation.writer else { throw DataStoreError.readOnly }
        do {
            _ = try await writer.write { [name] in try $0.advanceConsumer(name, to: position) }
        } catch let error as DataStoreError where error.code == .closed {
            throw log.generation.feed.endReason ?? error
        }
    }
}

/// How far a consumer has come.
public struct ConsumerStatus: Sendable, Hashable {
    /// The consumer's name.
    public let name: String
    /// The last event that it has advanced over.
    public let position: Position
    /// How many sequence numbers it is behind the log's head.
    public let lag: UInt64

    /// The consumer called `name` at `position`, `lag` behind.
    public init(name: String, position: Position, lag: UInt64) {
        self.name = name
        self.position = position
        self.lag = lag
    }
}

/// What consumers may be called.
enum ConsumerName {
    /// The consumer that sends local changes to a server. Every store has it, at position 0 from its creation.
    static let outbox = "outbox"

    /// Checks a name from outside: 1 to 64 of `A-Z a-z 0-9 _ . -`, and not the outbox's.
    static func check(_ name: String) throws {
        let isAllowed = name.utf8.allSatisfy { byte in
            (byte | 32 >= 97 && byte | 32 <= 122) || (48...57).contains(byte) || [45, 46, 95].contains(byte)
        }
        guard (1...64).contains(name.utf8.count), isAllowed, name != outbox else {
            throw DataStoreError(
                .invalidValue, "This is not a name for a consumer.",
                recovery: "Use 1 to 64 letters, digits, `_`, `-` and `.`; `\(outbox)` is taken.")
        }
    }

    static func notFound(_ name: String) -> DataStoreError {
        DataStoreError(
            .notFound, "There is no consumer \(name).", recovery: "Ask the store for the consumer: that registers it.")
    }
}

extension DataStoreError {
    static var readOnly: DataStoreError {
        DataStoreError(.readOnly, "The store was opened for reading only.", recovery: "Open it for writing.")
    }
}
