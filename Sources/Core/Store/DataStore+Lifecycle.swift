internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension DataStore {
    /// Empties the store: a new, empty log with the same schema takes the place of the old one, whose files are erased.
    /// Nothing is sent to a server.
    ///
    /// Reads at work finish on what was, and the files go with the last of them; observers, cursors and consumers of the
    /// old log, and writes that wait, end with `storeCleared`. Killed at any moment, it leaves the old store whole or the
    /// new one empty.
    ///
    /// - Throws: ``DataStoreError``: `readOnly`, `closed`, `storeCleared` if another one was first, `storageFull`,
    ///   `inputOutput`; then nothing is changed.
    public func clear() async throws { _ = try await clear(onlyAt: nil) }

    /// Empties the store like ``clear()``, but only if its last event is still the one at `head`.
    ///
    /// - Returns: Whether it was emptied; if not, nothing is changed.
    /// - Throws: ``DataStoreError``, as ``clear()`` does.
    package func clear(onlyAt head: Position?) async throws -> Bool {
        let old = try current()
        let writer = try writer(of: old)
        let isCleared = try await writer.exclusively { [self] _ in
            if let head, old.log.head != head { return false }
            let next = try makeCleared(old)
            guard replace(old, with: next) else {
                try next.close()
                throw DataStoreError.closed
            }
            writer.refuse(.cleared)
            AutomaticCompaction.start(next, configuration.compaction)
            return true
        }
        guard isCleared else { return false }
        let path = directory.generation(old.number)
        try await Blocking.run {
            // What cannot be erased is erased at the next opening.
            old.retire(.cleared) { try? FileSystem.removeTree(path) }
        }
        return true
    }

    /// Makes and opens the generation after `old`. It is the store from the renaming in here on.
    private func makeCleared(_ old: Generation) throws -> Generation {
        let number = old.number + 1
        let opening = StoreOpening(
            directory: directory, schema: nil, factory: factory, configuration: configuration)
        try opening.createGeneration(number, like: old.log.metadata, schema: old.layout.schema)
        do {
            let parts = try opening.open(generation: number)
            return Generation(
                parts, store: handle, runsInline: parts.log.metadata.durability != .full, isReadOnly: false)
        } catch {
            let path = directory.generation(number)
            try FileSystem.rename(path, to: path + StoreDirectory.unfinished)
            throw error
        }
    }

    /// Recreates all rows from the log, beside the old ones, and goes on with them. Reads and writes go on meanwhile;
    /// writes wait for a moment at the end.
    ///
    /// Killed at any moment, the store goes on with the old rows.
    ///
    /// - Throws: ``DataStoreError``: `readOnly`, `closed`, `locked` if a rebuild is under way already, `poisoned`,
    ///   `logDamaged`, `storageFull`, `inputOutput`.
    public func rebuild(progress: (@Sendable (RebuildProgress) -> Void)? = nil) async throws {
        let generation = try current()
        let writer = try writer(of: generation)
        let rebuild = try generation.rows.rebuild(progress: progress)
        defer { rebuild.end() }
        let made = try await Blocking.run { try rebuild.make() }
        do {
            try await writer.exclusively { section in
                try section.requireWritable()
                try rebuild.finish(made)
            }
        } catch {
            rebuild.discard(made)
            throw error
        }
    }

    /// Recreates the rows of the store at `directory`, which nobody has open, from the log, in another adapter if
    /// `adapter` is one; the store goes on with that.
    ///
    /// Killed at any moment, the store opens with the adapter that its log names: the old one until all rows are made.
    ///
    /// - Parameter configuration: Projections and the like, as for opening.
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
