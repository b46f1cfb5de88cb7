extension DataStore {
    /// The consumer called `name`, which is registered if there is none: from then on the log keeps for it what it has
    /// not read.
    ///
    /// - Parameters:
    ///   - name: 1 to 64 letters, digits, `_`, `-` and `.`; not `outbox`.
    ///   - position: Where a new consumer begins: at the log's start, or at ``head`` for what is yet to come.
    /// - Throws: ``DataStoreError``: `invalidValue` if the name is not allowed; `invalidPosition`; as
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

    /// Forgets the consumer called `name`, so that the log keeps nothing for it. If there is none, nothing happens.
    ///
    /// - Throws: ``DataStoreError``: `invalidValue` if the name is not allowed; as ``write(requireParents:_:)``.
    public func removeConsumer(named name: String) async throws { try await write { try $0.removeConsumer(name) } }

    /// All consumers and how far they have come, by name; the outbox among them.
    ///
    /// - Throws: ``DataStoreError``: `closed`, `storeCleared`.
    public func consumers() throws -> [ConsumerStatus] {
        try followedLog().read { try $0.consumerStatuses() }
    }

    /// How far the outbox has come.
    package var outboxPosition: Position {
        get throws { try followedLog().read { try $0.position(of: ConsumerName.outbox) } ?? .start }
    }

    /// The consumer that the sync engine reads the log as.
    package var outbox: Consumer {
        get throws {
            let (log, writer) = try followed()
            return Consumer(name: ConsumerName.outbox, log: log, writer: writer)
        }
    }
}
