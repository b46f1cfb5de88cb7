public import TidelogFoundation

/// The files of a store that is not open, for tools that know only the store's directory.
public enum StoreFiles {
    /// Describes the store at `directory` without opening it. This method takes no lock and changes nothing.
    ///
    /// It is meant for tools that know only the directory of a store.
    ///
    /// - Throws: ``DataStoreError``: `notFound` if there is no store, `logDamaged`, `newerFormat`, `unsafePath`.
    public static func describe(at directory: URL) throws -> StoreDescription {
        try describe(path: directory.path)
    }

    package static func describe(path: String) throws -> StoreDescription {
        let directory = try StoreDirectory(reading: path)
        let generation = try StoreDirectory.highest("generation-", in: path)
        guard generation > 0 else { throw DataStoreError.noStore(at: path) }
        let log = try EventLog(reading: directory.log(generation, directory.logNumber(generation)))
        defer { log.close() }
        guard let schema = try log.schemas().last else { throw DataStoreError.damagedLog("has no schema") }
        return try log.withReader { reader in
            let metadata = try reader.metadata()
            return StoreDescription(
                id: metadata.store, adapter: metadata.adapter, durability: metadata.durability,
                head: try reader.head() ?? metadata.floor, floor: metadata.floor, eventCount: try reader.eventCount(),
                schema: schema, consumers: try reader.consumerStatuses(), byteCount: FileSystem.byteCount(path))
        }
    }

    /// The process that has the store at `path` open for writing, as far as it is known; `nil` if there is none.
    package static func writer(ofStoreAt path: String) -> (process: Int?, program: String?)? {
        guard WriterLock.isHeld(path) else { return nil }
        guard let process = WriterLock.owner(path) else { return (nil, nil) }
        // Only Linux has this file.
        let name = (try? FileSystem.read("/proc/\(process)/comm")) ?? nil
        return (process, name.map { String($0.prefix { $0 != "\n" }) })
    }

    /// Verifies only the log of the store at `directory`: reads every event without opening the store for writing.
    /// Another process may have the store open.
    ///
    /// - Parameter progress: Called from time to time with the last event that was read.
    /// - Throws: ``DataStoreError``: `notFound`; `logDamaged` if the file is so damaged that no events can be read;
    ///   `locked` if this process has the store open (use ``DataStore/verify(progress:)``); `newerFormat`.
    public static func verifyLog(
        at directory: URL, progress: (@Sendable (RebuildProgress) -> Void)? = nil
    ) async throws -> VerificationReport {
        let path = directory.path
        return try await Blocking.run {
            let log = try EventLog(readingStoreAt: path)
            defer { log.close() }
            return VerificationReport(
                try LogVerification.verify(log) { progress?(RebuildProgress(sequence: $0, head: log.head.sequence)) })
        }
    }

    /// Rebuilds the rows of the store at `directory` from the log with the given adapter. The store must not be open.
    /// From then on the store uses this adapter.
    ///
    /// If the process is killed, the store opens with the adapter that its log names. Until all rows are made, this is the
    /// old adapter.
    ///
    /// - Parameters:
    ///   - configuration: The configuration, for example projections, as for opening the store.
    ///   - progress: Called with the progress of the rebuild.
    /// - Throws: ``DataStoreError``: `notFound`, `locked`, `logDamaged`, `newerFormat`, `storageFull`, `inputOutput`.
    public static func rebuild(
        at directory: URL, adapter: AdapterFactory, configuration: DataStoreConfiguration = .default,
        progress: (@Sendable (RebuildProgress) -> Void)? = nil
    ) async throws {
        let path = directory.path
        try await Blocking.run {
            let directory = try StoreDirectory(path, create: false)
            let lock = try WriterLock(directory: path)
            try withExtendedLifetime(lock) {
                try directory.removeLeftovers()
                try StoreOpening(
                    directory: directory, schema: nil, factory: adapter, configuration: configuration,
                    progress: progress
                ).rebuild()
            }
        }
    }
}
