internal import Dispatch

extension DataStore {
    /// Suspends the store: lets running reads and writes end, makes everything durable, and releases every lock on files.
    ///
    /// ```swift
    /// try await store.suspend()       // the app goes to the background
    /// try await store.resume()        // the app is in the foreground again
    /// ```
    ///
    /// A system may end an app that is suspended while it holds a lock on a file in a shared container. A suspended store
    /// holds no lock, and another process, such as an app extension, may write it.
    ///
    /// Calls throw `suspended` until ``resume()``. Live queries, streams of events and changes, and consumers wait, and then
    /// continue where they were. A sync engine ends its requests, and catches up after ``resume()``. If the store is
    /// suspended or closed already, this method does nothing. Snapshots that are in use delay it. A backup and a rebuild end
    /// with the error `suspended`.
    ///
    /// - Throws: ``DataStoreError``: `poisoned`, `storageFull`, `inputOutput` if the store could not be made durable. The
    ///   store is suspended and holds no lock in this case too.
    public func suspend() async throws {
        try await Blocking.run { [self] in
            try inTurn { try state.suspend(readerLock: directory.readerLock)?.close() }
        }
    }

    /// Opens a suspended store again. If the store is open, this method does nothing.
    ///
    /// Another process may have written the store in the meantime. Live queries show its changes. If it has cleared the
    /// store, they end with `storeCleared`.
    ///
    /// - Throws: ``DataStoreError``: `closed`; `locked` if another process still writes the store; and the errors of
    ///   ``open(at:schema:adapter:configuration:migrations:progress:)``. The store then stays suspended, and a later call tries
    ///   again.
    public func resume() async throws {
        try await Blocking.run { [self] in
            try inTurn {
                guard let schema = try state.schemaForResuming() else { return }
                try reopen(schema)
            }
        }
    }

    /// Waits until the store is open, if it is suspended.
    ///
    /// - Throws: ``DataStoreError`` with code `closed`; `CancellationError`.
    package func waitUntilResumed() async throws { _ = try await state.resumed() }

    private func reopen(_ schema: Schema?) throws {
        // A store that was removed in the meantime is not created again.
        _ = configuration.isReadOnly ? nil : try StoreDirectory(directory.path, create: false)
        let lock = configuration.isReadOnly ? nil : try WriterLock(directory: directory.path)
        try directory.readerLock?.take()
        do {
            var configuration = configuration
            configuration.createsStore = false
            let generation = try Self.opened(
                StoreOpening(directory: directory, schema: schema, factory: factory, configuration: configuration),
                for: handle)
            state.resume(generation, lock: lock)
            AutomaticCompaction.start(generation, configuration.compaction)
        } catch {
            directory.readerLock?.release()
            throw error
        }
    }

    /// Runs `body` while no other call suspends, resumes or closes the store.
    func inTurn<Result>(_ body: () throws -> Result) rethrows -> Result {
        turn.wait()
        defer { turn.signal() }
        return try body()
    }
}
