internal import TidelogLMDB

extension EventLog {
    /// Opens the files in `directory`, and makes them if there are none and `create` says what they start with.
    static func openFiles(
        _ directory: String, durability: Durability, mapSize: Int?, isReadOnly: Bool, create: LogMetadata?,
        isSuspect: Bool = false
    ) throws -> LogFiles {
        var options = Environment.Options(
            maximumKeyspaces: 8, syncPolicy: durability.syncPolicy, isReadOnly: isReadOnly,
            requireExisting: create == nil, inspectsEveryPage: isSuspect)
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
                    throw damaged("has no keyspace \(name)")
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
            guard try transaction.entryCount(keyspaces.events) == 0 else { throw damaged("has events but no metadata") }
            try create.write(transaction, keyspaces.meta)
            try put(.start, for: ConsumerName.outbox, keyspaces, transaction)
        }
        try transaction.commit()
        return keyspaces
    }
}

extension Durability {
    var syncPolicy: SyncPolicy {
        switch self {
        case .full: .full
        case .relaxed: .noMetaSync
        case .unsynced: .noSync
        }
    }
}
