internal import Synchronization
internal import TidelogLMDB

/// The log: every event in order, in an LMDB environment of its own. Appended to by the writer alone.
package final class EventLog: Sendable {
    let isReadOnly: Bool
    /// The most bytes that events may take, `nil` for as many as the disk has.
    let quota: Int?
    /// Where the log was last durable as a whole, as it was noted when the log was opened; `nil` if it was not.
    let durableEnd: DurableEnd?
    private let openFiles: Mutex<LogFiles>
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
    ///   - create: What a new log starts with, if the directory has none.
    ///   - quota: The most bytes that events may take.
    ///   - isSuspect: Whether the log was not synced when the system stopped, so that every page is looked at first.
    ///   - isForChecking: Whether the last event may be damaged.
    init(
        directory: String, durability: Durability, mapSize: Int?, isReadOnly: Bool, create: LogMetadata?,
        quota: Int? = nil, isSuspect: Bool = false, isForChecking: Bool = false
    ) throws {
        // Before the files, since another process may append and note a later end meanwhile.
        let durableEnd = try DurableEnd(directory: directory)
        let files = try Self.openFiles(
            directory, durability: durability, mapSize: mapSize, isReadOnly: isReadOnly, create: create,
            isSuspect: isSuspect)
        self.durableEnd = durableEnd
        self.isReadOnly = isReadOnly
        self.quota = quota
        openFiles = Mutex(files)
        do {
            state = Mutex(
                try files.withReader { reader in
                    let metadata = try LogMetadata(reader, files.keyspaces.meta)
                    guard !isForChecking else { return State(head: metadata.floor, metadata: metadata) }
                    let events = LogReader(reader, files.keyspaces)
                    let head = try events.head() ?? metadata.floor
                    if let loss = try durableEnd?.loss(in: events, metadata, head: head.sequence) {
                        throw Self.damaged(loss)
                    }
                    return State(head: head, metadata: metadata)
                })
        } catch {
            files.close()
            throw Self.translated(error, "read the log")
        }
    }

    deinit { openFiles.withLock { $0.close() } }

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

    /// The last event, as this instance knows it without looking; a read-only instance, as it was opened.
    var knownHead: SequenceNumber { state.withLock { $0.head.sequence } }

    var metadata: LogMetadata { state.withLock { $0.metadata } }

    var syncCount: Int { state.withLock { $0.syncCount } }

    /// The log's files, as they are now.
    var files: LogFiles { openFiles.withLock { $0 } }

    var keyspaces: Keyspaces { files.keyspaces }

    /// Goes on with other files of the same content. Only the writer calls this, between groups.
    func replaceFiles(with files: LogFiles) {
        let old = openFiles.withLock { current in
            precondition(files !== current, "other files take the place of these")
            defer { current = files }
            return current
        }
        old.close()
    }

    /// Calls `body` with a consistent view of the log.
    @inline(__always)
    func withReader<Result>(_ body: (LogReader) throws -> Result) throws -> Result {
        while true {
            let files = files
            do {
                return try Self.translating("read the log") {
                    try files.withReader { try body(LogReader($0, files.keyspaces)) }
                }
            } catch let error as DataStoreError
                where (error.underlying as? LMDBError)?.code == .closed && files !== self.files
            {
                continue  // Replaced by smaller ones before the reader began.
            }
        }
    }

    /// Runs `body` in a write transaction of the log's environment, a second time if the map had to grow. Only the
    /// writer calls this.
    func write<Result>(_ body: (WriteTransaction) throws -> Result) throws(AppendFailure) -> Result {
        let files = files
        var attempts = 0
        while true {
            do throws(AppendFailure) { return try writeOnce(files, body) } catch {
                guard error.isMapFull, attempts < 24 else { throw error }
                attempts += 1
                do { try files.grow() } catch let failure { throw AppendFailure(beforeCommit: failure) }
            }
        }
    }

    private func writeOnce<Result>(
        _ files: LogFiles, _ body: (WriteTransaction) throws -> Result
    ) throws(AppendFailure) -> Result {
        precondition(!isReadOnly, "a log that was opened for reading is not written")
        let transaction: WriteTransaction
        let result: Result
        do {
            transaction = try files.environment.beginWrite()
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
        files.committed()
        state.withLock { $0.syncCount += $0.metadata.durability == .unsynced ? 0 : 1 }
        return result
    }

    /// Appends sealed events and moves consumers, in one transaction; durable as the log's durability says.
    ///
    /// - Parameters:
    ///   - consumers: Where consumers are moved to; `nil` for those to be removed.
    ///   - update: What else changes of the log's metadata.
    func append(
        _ batch: SealedEvents, moving consumers: [String: Position?] = [:],
        updating update: ((inout LogMetadata) -> Void)? = nil
    ) throws(AppendFailure) {
        let head = state.withLock { $0.head }
        let changed = update.map { update in
            var changed = metadata
            update(&changed)
            return changed
        }
        precondition(
            batch.isEmpty || batch.first.value == head.sequence.value + 1, "events are appended right after the head")
        let keyspaces = keyspaces
        try write { transaction in
            let cursor = try transaction.cursor(keyspaces.events)
            try batch.forEach { sequence, bytes in
                try withIntegerKey(sequence) { key in
                    try cursor.reserve(key, byteCount: bytes.count, append: true).copyMemory(from: bytes)
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
            try changed?.write(transaction, keyspaces.meta)
            if !batch.isEmpty { try checkQuota(transaction, keyspaces) }
        }
        if let changed { state.withLock { $0.metadata = changed } }
        guard !batch.isEmpty else { return }
        state.withLock { state in
            precondition(batch.end.sequence > state.head.sequence, "the head rises")
            state.head = batch.end
        }
    }

    func put(_ position: Position?, for consumer: String, _ transaction: WriteTransaction) throws {
        guard let position else {
            var consumer = consumer
            _ = try consumer.withUTF8 { try transaction.delete(keyspaces.consumers, UnsafeRawBufferPointer($0)) }
            return
        }
        try Self.put(position, for: consumer, keyspaces, transaction)
    }

    static func put(
        _ position: Position, for consumer: String, _ keyspaces: Keyspaces, _ transaction: WriteTransaction
    ) throws {
        try transaction.setValue(
            position.sequence.value.littleEndianBytes + position.chain.littleEndianBytes, consumer,
            in: keyspaces.consumers)
    }

    /// Changes the log's metadata.
    func update(_ body: (inout LogMetadata) -> Void) throws(AppendFailure) {
        try update { _, metadata in body(&metadata) }
    }

    /// Changes the log's metadata and more in one transaction.
    func update<Result>(
        _ body: (WriteTransaction, inout LogMetadata) throws -> Result
    ) throws(AppendFailure) -> Result {
        let before = metadata
        let (result, after) = try write { transaction in
            var changed = before
            let result = try body(transaction, &changed)
            precondition(changed.floor.sequence >= before.floor.sequence, "the floor never falls")
            if changed != before { try changed.write(transaction, keyspaces.meta) }
            return (result, changed)
        }
        state.withLock { $0.metadata = after }
        return result
    }

    private func checkQuota(_ transaction: WriteTransaction, _ keyspaces: Keyspaces) throws {
        guard let quota else { return }
        guard try transaction.statistics(keyspaces.events).byteCount > quota else { return }
        throw DataStoreError(
            .storageFull, "The log would exceed its quota of \(quota) bytes.",
            recovery: "Compact the log, or raise the quota.")
    }

    func sync() throws { try translatingErrors("sync the log") { try files.environment.sync() } }

    /// Closes the files. Returns once nobody reads them any more.
    func close() { files.closeAfterReaders() }
}

extension Statistics {
    /// The bytes of all pages.
    var byteCount: Int { (branchPageCount + leafPageCount + overflowPageCount) * pageSize }
}
