internal import Synchronization
internal import TidelogLMDB

/// The log: every event in order, in an LMDB environment of its own. Appended to by the writer alone.
package final class EventLog: Sendable {
    let environment: Environment
    let readers: ReaderPool
    let keyspaces: Keyspaces
    let isReadOnly: Bool
    private let state: Mutex<State>

    struct Keyspaces: Sendable {
        let events: Keyspace
        let meta: Keyspace
        let consumers: Keyspace
        let schemas: Keyspace
    }

    private struct State {
        var head: Position
        var metadata: LogMetadata
        /// How many commits of this instance were synced: what `metrics` reports.
        var syncCount = 0
    }

    /// Opens the log in `directory`, which exists.
    ///
    /// - Parameters:
    ///   - create: What a new log starts with, where the directory has none.
    ///   - isSuspect: Whether the log was not synced when the system stopped, so that every page is looked at first.
    init(
        directory: String, durability: Durability, mapSize: Int?, isReadOnly: Bool, create: LogMetadata?,
        isSuspect: Bool = false
    ) throws {
        var options = Environment.Options(
            maximumKeyspaces: 8, syncPolicy: durability.syncPolicy, isReadOnly: isReadOnly,
            requireExisting: create == nil, inspectsEveryPage: isSuspect)
        if let mapSize { options.mapSize = mapSize }
        (environment, keyspaces) = try Self.translating("open the log") {
            let environment = try Environment(directory: directory, options: options)
            do {
                return (environment, try Self.openKeyspaces(environment, isReadOnly: isReadOnly, create: create))
            } catch {
                environment.close()
                throw error
            }
        }
        self.isReadOnly = isReadOnly
        let pool = ReaderPool(environment)
        readers = pool
        let opened = keyspaces
        do {
            state = Mutex(
                try pool.withReader { reader in
                    let metadata = try LogMetadata(reader, opened.meta)
                    return State(
                        head: try LogReader(reader, opened).head() ?? metadata.floor, metadata: metadata)
                })
        } catch {
            pool.drain()
            environment.close()
            throw Self.translated(error, "read the log")
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
        }
        try transaction.commit()
        return keyspaces
    }

    static func damaged(_ what: String) -> DataStoreError {
        DataStoreError(
            .logDamaged, "The log \(what).", recovery: "Salvage the good events with `tidelog verify --salvage`.")
    }

    /// Calls `body` and turns errors of LMDB into errors of the store; damage is the log's.
    @inline(__always)
    static func translating<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw translated(error, what) }
    }

    static func translated(_ error: any Error, _ what: String) -> any Error {
        let translated = DataStoreError.translating(error, what)
        guard let cause = error as? LMDBError, let failure = translated as? DataStoreError else { return translated }
        // A log has every keyspace, and a healthy tree fits into a cursor.
        let codes: [LMDBError.Code] = [.notFound, .incompatible, .cursorFull, .pageFull]
        guard failure.code == .damaged || codes.contains(cause.code) else { return translated }
        return DataStoreError(
            .logDamaged, failure.message, underlying: error,
            recovery: "Salvage the good events with `tidelog verify --salvage`.")
    }

    /// The last event, as this instance knows it; a read-only instance looks.
    package var head: Position {
        guard isReadOnly else { return state.withLock { $0.head } }
        return (try? withReader { try $0.head() }) ?? state.withLock { $0.head }
    }

    var metadata: LogMetadata { state.withLock { $0.metadata } }

    var syncCount: Int { state.withLock { $0.syncCount } }

    /// Calls `body` with a consistent view of the log.
    @inline(__always)
    func withReader<Result>(_ body: (LogReader) throws -> Result) throws -> Result {
        try Self.translating("read the log") {
            try readers.withReader { try body(LogReader($0, keyspaces)) }
        }
    }

    /// Runs `body` in a write transaction of the log's environment. Only the writer calls this.
    func write<Result>(_ body: (WriteTransaction) throws -> Result) throws(AppendFailure) -> Result {
        precondition(!isReadOnly, "a log that was opened for reading is not written")
        let transaction: WriteTransaction
        let result: Result
        do {
            transaction = try environment.beginWrite()
            do {
                result = try body(transaction)
            } catch {
                transaction.abort()
                throw error
            }
        } catch {
            throw AppendFailure(beforeCommit: error)
        }
        do { try transaction.commit() } catch { throw AppendFailure(inCommit: error) }
        state.withLock { $0.syncCount += metadata($0).durability == .unsynced ? 0 : 1 }
        return result
    }

    private func metadata(_ state: borrowing State) -> LogMetadata { state.metadata }

    /// Appends sealed events and moves consumers, in one transaction; durable as the log's durability says.
    func append(_ batch: SealedEvents, moving consumers: [String: Position] = [:]) throws(AppendFailure) {
        let head = state.withLock { $0.head }
        precondition(
            batch.isEmpty || batch.first.value == head.sequence.value + 1, "events are appended right after the head")
        try write { transaction in
            try batch.forEach { sequence, bytes in
                try withIntegerKey(sequence) { key in
                    let target = try transaction.reserve(
                        keyspaces.events, key, byteCount: bytes.count, append: true)
                    target.copyMemory(from: bytes)
                }
            }
            for (version, sequence) in batch.schemaVersions {
                try withIntegerKey(UInt64(version)) { key in
                    try withUnsafeBytes(of: sequence.value.littleEndian) {
                        try transaction.put(keyspaces.schemas, key, $0)
                    }
                }
            }
            for (name, position) in consumers { try put(position, for: name, transaction) }
        }
        if !batch.isEmpty { state.withLock { $0.head = batch.end } }
    }

    func put(_ position: Position, for consumer: String, _ transaction: WriteTransaction) throws {
        try transaction.setValue(
            position.sequence.value.littleEndianBytes + position.chain.littleEndianBytes, consumer,
            in: keyspaces.consumers)
    }

    /// Changes the log's metadata.
    func update(_ body: (inout LogMetadata) -> Void) throws(AppendFailure) {
        var changed = metadata
        body(&changed)
        let copy = changed
        try write { try copy.write($0, keyspaces.meta) }
        state.withLock { $0.metadata = copy }
    }

    func sync() throws { try Self.translating("sync the log") { try environment.sync() } }

    /// Closes the environment. No reader is at work.
    func close() {
        readers.drain()
        environment.close()
    }
}

/// Why an append did not come to its end.
enum AppendFailure: Error {
    /// Nothing was appended.
    case failed(any Error)
    /// The log's sync or meta write failed: the events may or may not be durable.
    case outcomeUnknown(any Error)

    init(beforeCommit error: any Error) {
        let isPanic = (error as? LMDBError)?.code == .panic
        let translated = EventLog.translated(error, "append to the log")
        self = isPanic ? .outcomeUnknown(translated) : .failed(translated)
    }

    init(inCommit error: LMDBError) {
        let translated = EventLog.translated(error, "append to the log")
        switch error.code {
        case .mapFull, .noSpace, .quotaExceeded: self = .failed(translated)
        default: self = .outcomeUnknown(translated)
        }
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
