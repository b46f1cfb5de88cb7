internal import TidelogLMDB

/// The keyspaces of a log's environment (FORMATS, section 2).
struct LogKeyspaces: Sendable {
    let events: Keyspace
    let meta: Keyspace
    let consumers: Keyspace
    let schemas: Keyspace

    /// Opens the keyspaces for reading.
    init(reading environment: GrowingEnvironment) throws {
        let reader = try environment.take()
        defer { environment.give(reader) }
        let open = { (name: String, integerKeys: Bool) throws -> Keyspace in
            guard let keyspace = try reader.openKeyspace(named: name, integerKeys: integerKeys) else {
                throw DataStoreError.damagedLog("has no keyspace \(name)")
            }
            return keyspace
        }
        events = try open("events", true)
        meta = try open("meta", false)
        consumers = try open("consumers", false)
        schemas = try open("schemas", true)
    }

    /// Opens the keyspaces for writing. If `metadata` is not `nil`, this initializer creates missing keyspaces and gives a
    /// new log that metadata.
    init(writing environment: GrowingEnvironment, creating metadata: LogMetadata?) throws {
        let transaction = try environment.beginWrite()
        defer { transaction.abort() }
        let create = metadata != nil
        events = try transaction.openKeyspace(named: "events", integerKeys: true, create: create)
        meta = try transaction.openKeyspace(named: "meta", create: create)
        consumers = try transaction.openKeyspace(named: "consumers", create: create)
        schemas = try transaction.openKeyspace(named: "schemas", integerKeys: true, create: create)
        if let metadata, try !LogMetadata.isPresent(transaction, meta) {
            guard try transaction.entryCount(events) == 0 else {
                throw DataStoreError.damagedLog("has events but no metadata")
            }
            try metadata.write(transaction, meta)
            try setPosition(.start, of: ConsumerName.outbox, transaction)
        }
        try transaction.commit()
    }

    /// Notes that the event at `sequence` introduced the schema with this version.
    func notePlace(ofSchema version: UInt32, at sequence: SequenceNumber, _ transaction: WriteTransaction) throws {
        try withIntegerKey(UInt64(version)) { key in
            try withUnsafeBytes(of: sequence.value.littleEndian) { try transaction.put(schemas, key, $0) }
        }
    }

    /// Moves each of `consumers` to its new position. A consumer with the value `nil` is removed.
    func move(_ consumers: [String: Position?], _ transaction: WriteTransaction) throws {
        for (name, position) in consumers { try setPosition(position, of: name, transaction) }
    }

    /// Moves the consumer called `consumer` to `position`. If `position` is `nil`, the consumer is removed.
    func setPosition(_ position: Position?, of consumer: String, _ transaction: WriteTransaction) throws {
        guard let position else { return try transaction.removeValue(consumer, in: consumers) }
        try transaction.setValue(
            position.sequence.value.littleEndianBytes + position.chain.littleEndianBytes, consumer, in: consumers)
    }
}

extension Cursor {
    /// Writes the event with this number, which comes after all events of the keyspace.
    @inline(__always)
    func append(_ number: UInt64, _ event: UnsafeRawBufferPointer) throws {
        try withIntegerKey(number) { key in
            try reserve(key, byteCount: event.count, append: true).copyMemory(from: event)
        }
    }
}
