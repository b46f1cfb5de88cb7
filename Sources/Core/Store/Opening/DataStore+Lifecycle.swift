internal import TidelogSynchronization

extension DataStore {
    /// Empties the store. A new, empty log with the same schema replaces the old log, whose files are deleted. Nothing
    /// is sent to a server.
    ///
    /// Reads that have begun finish with the old data, and the old files are deleted after the last of these reads.
    /// Observers, cursors and consumers of the old log end with `storeCleared`, and so do writes that wait. If the
    /// process is killed, the store is either the whole old one or the empty new one.
    ///
    /// - Throws: ``DataStoreError``: `readOnly`, `closed`, `storeCleared` if another call cleared the store first,
    ///   `storageFull`, `inputOutput`. Nothing is then changed.
    public func clear() async throws { _ = try await clear(onlyAt: nil) }

    /// Empties the store as ``clear()`` does, but only if its last event is still the one at `head`.
    ///
    /// - Returns: Whether the store was emptied. If not, nothing is changed.
    /// - Throws: ``DataStoreError``, as ``clear()`` does.
    package func clear(onlyAt head: Position?) async throws -> Bool {
        let old = try current()
        let writer = try writer(of: old)
        let isCleared = try await writer.exclusively { [self] _ in
            if let head, old.log.head != head { return false }
            let next = try old.room.lendIfFull { try makeCleared(old) }
            guard state.replace(old, with: next) else {
                // The store is being closed or suspended. The next opening must find the old generation.
                try? next.close()
                try abandon(next.number)
                throw state.absence
            }
            writer.refuse(.cleared)
            AutomaticCompaction.start(next, configuration.compaction)
            return true
        }
        guard isCleared else { return false }
        let path = directory.generation(old.number)
        try await Blocking.run {
            // If the files cannot be deleted now, the next opening deletes them.
            old.retire(.cleared) { try? FileSystem.removeTree(path) }
        }
        return true
    }

    /// Makes and opens the generation after `old`. As soon as its directory has its final name, this generation is the store.
    private func makeCleared(_ old: Generation) throws -> Generation {
        let number = old.number + 1
        let opening = StoreOpening(directory: directory, schema: nil, factory: factory, configuration: configuration)
        try opening.createGeneration(number, like: old.log.metadata, schema: old.layout.schema)
        do {
            let parts = try opening.open(generation: number)
            return Generation(
                parts, store: handle, runsInline: parts.log.metadata.durability != .full, room: old.room)
        } catch {
            try abandon(number)
            throw error
        }
    }

    /// Renames a generation that the store does not use, so that the next opening removes it.
    private func abandon(_ number: Int) throws {
        let path = directory.generation(number)
        try FileSystem.rename(path, to: path + StoreDirectory.unfinished)
    }

    /// Rebuilds all rows from the log, and switches to the new rows. Reads and writes continue with the old rows during
    /// that time. Writes wait for a moment at the end.
    ///
    /// If the process is killed, the store continues with the old rows.
    ///
    /// - Parameter progress: Called with the progress of the rebuild.
    /// - Throws: ``DataStoreError``: `readOnly`, `closed`, `locked` if a rebuild is already in progress, `poisoned`,
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
}
