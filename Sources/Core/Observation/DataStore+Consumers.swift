extension DataStore {
    /// The consumer called `name`. It is registered if it does not exist. From then on, the log keeps the events that it has
    /// not read.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, `_`, `-` and `.`; not `outbox`.
    ///   - position: The start of a new consumer: the log's start, or ``head`` for only those events that follow.
    /// - Throws: ``DataStoreError``: `invalidValue` if the name is not allowed; `invalidPosition`; and the errors of
    ///   ``write(requireParents:_:)``.
    public func consumer(named name: String, startingAfter position: Position = .start) async throws -> Consumer {
        try ConsumerName.check(name)
        let (log, writer) = try followed()
        if try log.read({ try $0.position(of: name) }) == nil {
            guard let writer else { throw DataStoreError.readOnly }
            _ = try await writer.write { try $0.registerConsumer(name, at: position) }
        }
        return Consumer(name: name, log: log, writer: writer)
    }

    /// Removes the consumer called `name`, so that the log no longer keeps events for it. Does nothing if it does not exist.
    ///
    /// - Throws: ``DataStoreError``: `invalidValue` if the name is not allowed; and the errors of ``write(requireParents:_:)``.
    public func removeConsumer(named name: String) async throws { try await write { try $0.removeConsumer(name) } }

    /// All consumers with their positions, sorted by name. The outbox is one of them.
    ///
    /// - Throws: ``DataStoreError``: `closed`, `storeCleared`.
    public func consumers() throws -> [ConsumerStatus] {
        try followedLog().read { try $0.consumerStatuses() }
    }

    /// The position of the outbox.
    package var outboxPosition: Position {
        get throws { try followedLog().read { try $0.position(of: ConsumerName.outbox) } ?? .start }
    }

    /// The consumer with which the sync engine reads the log.
    package var outbox: Consumer {
        get throws {
            let (log, writer) = try followed()
            return Consumer(name: ConsumerName.outbox, log: log, writer: writer)
        }
    }
}
