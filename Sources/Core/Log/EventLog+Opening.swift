internal import Synchronization
internal import TidelogLMDB

extension EventLog {
    /// Opens the files of the log in `directory`. If there are no files and `create` is not `nil`, this method creates
    /// them with that metadata.
    static func openFiles(
        _ directory: String, mapSize: Int?, isReadOnly: Bool, isTemporary: Bool, create: LogMetadata?
    ) throws -> LogFiles {
        var options = Environment.Options(
            maximumKeyspaces: 8, syncPolicy: isTemporary ? .noSync : .full, isReadOnly: isReadOnly,
            requireExisting: create == nil, inspectsEveryPage: UnsyncedLog.isNoted(in: directory))
        if let mapSize { options.mapSize = mapSize }
        do {
            let environment = try Environment(directory: directory, options: options)
            do {
                let keyspaces = try openKeyspaces(environment, isReadOnly: isReadOnly, create: create)
                return LogFiles(directory: directory, environment: environment, keyspaces: keyspaces)
            } catch {
                environment.close()
                throw error
            }
        } catch {
            throw Self.translated(error, "open the log")
        }
    }

    private static func openKeyspaces(
        _ environment: Environment, isReadOnly: Bool, create: LogMetadata?
    ) throws -> Keyspaces {
        if isReadOnly {
            let reader = try environment.beginRead()
            defer { reader.end() }
            let open = { (name: String, integerKeys: Bool) throws -> Keyspace in
                guard let keyspace = try reader.openKeyspace(named: name, integerKeys: integerKeys) else {
                    throw DataStoreError.damagedLog("has no keyspace \(name)")
                }
                return keyspace
            }
            return Keyspaces(
                events: try open("events", true), meta: try open("meta", false),
                consumers: try open("consumers", false), schemas: try open("schemas", true))
        }
        let transaction = try environment.beginWrite()
        defer { transaction.abort() }
        let keyspaces = Keyspaces(
            events: try transaction.openKeyspace(named: "events", integerKeys: true, create: create != nil),
            meta: try transaction.openKeyspace(named: "meta", create: create != nil),
            consumers: try transaction.openKeyspace(named: "consumers", create: create != nil),
            schemas: try transaction.openKeyspace(named: "schemas", integerKeys: true, create: create != nil))
        if let create, try !LogMetadata.isPresent(transaction, keyspaces.meta) {
            guard try transaction.entryCount(keyspaces.events) == 0 else {
                throw DataStoreError.damagedLog("has events but no metadata")
            }
            try create.write(transaction, keyspaces.meta)
            try put(.start, for: ConsumerName.outbox, keyspaces, transaction)
        }
        try transaction.commit()
        return keyspaces
    }

    /// Absorbs the groups that the last process left in the tail.
    func absorbWhatWasLeft(in directory: String) throws {
        let absorbed = try files.withReader { try LogMetadata.absorbedGroup($0, keyspaces.meta) }
        var tail = TailFiles(directory: directory)
        try tail.open(metadata, after: absorbed)
        let warnings = tail.damaged.map { path in
            "The first bytes of \(path) are damaged. No event is lost: the log's environment has every group. The next "
                + "change begins the file again."
        }
        state.withLock { $0.warnings = warnings }
        var cursor = TailCursor(after: absorbed, state.withLock { $0.head })
        let left = RecentEvents(absorbed: absorbed)
        while try cursor.next(in: tail, { left.publish($0, $1) }) {}
        try cursor.requireNothingMissing(in: tail)
        let view = left.view
        // A power loss may have removed the group before this one. This group is then lost too, and its number is not
        // used again.
        let last = try max(cursor.last, tail.highestNumber())
        guard last > absorbed else { return }
        do throws(AppendFailure) { try take(view, countingGroupsTo: last) } catch { throw error.cause }
        if view.hasEvents { state.withLock { $0.head = view.end } }
    }

    /// Begins a tail, so that groups are written to it from now on.
    ///
    /// - Parameters:
    ///   - isSynced: Whether each group is durable before it is acknowledged.
    ///   - fileByteCount: The largest size of each file of the tail.
    func beginTail(isSynced: Bool, fileByteCount: Int) throws {
        precondition(!isReadOnly, "a log that was opened for reading is not written")
        let (absorbed, byteCount) = try files.withReader { reader in
            (
                try LogMetadata.absorbedGroup(reader, keyspaces.meta),
                try reader.statistics(keyspaces.events).byteCount
            )
        }
        files.measureRoom()
        state.withLock { state in
            precondition(state.tail == nil, "a log has one tail")
            state.storedByteCount = byteCount
            state.tail = LogTail(
                directory: isTemporary ? nil : files.directory, of: state.metadata, isSynced: isSynced,
                fileByteCount: fileByteCount, absorbed: absorbed)
        }
    }
}
