internal import Dispatch
internal import Synchronization
internal import TidelogLMDB

extension EventLog {
    /// Appends sealed events and moves consumers, as one group. The log's durability decides when the group is durable.
    ///
    /// - Parameters:
    ///   - consumers: The new positions of consumers. A consumer with the value `nil` is removed.
    ///   - update: A further change of the log's metadata.
    func append(
        _ batch: SealedEvents, moving consumers: [String: Position?] = [:],
        updating update: ((inout LogMetadata) -> Void)? = nil
    ) throws(AppendFailure) {
        let (head, tail, failure) = state.withLock { ($0.head, $0.tail, $0.failure) }
        precondition(
            batch.isEmpty || batch.first.value == head.sequence.value + 1, "events are appended right after the head")
        if let failure { throw AppendFailure.failed(DataStoreError.poisoned(by: failure)) }
        // The tail has no place for metadata, schemas, or more consumers than its format allows. Groups with these go to
        // the environment.
        if let tail, update == nil, batch.schemaVersions.isEmpty, consumers.count <= TailFormat.maximumConsumerCount {
            let byteCount = batch.frameByteCount(moving: consumers)
            if byteCount <= tail.largestGroup, !isNearQuota(byteCount, tail) {
                return try append(batch, moving: consumers, byteCount: byteCount, to: tail, after: head)
            }
        }
        try store(batch, moving: consumers, updating: update)
    }

    /// Whether a group of ordinary size can go to the tail at once, without a wait for the environment. Only the writer
    /// asks this.
    var takesGroupsAtOnce: Bool {
        guard let tail = state.withLock({ $0.tail }), tail.location(for: Self.ordinaryByteCount) != nil else {
            return false
        }
        return hasRoom(for: Self.ordinaryByteCount, behind: tail)
    }

    private static let ordinaryByteCount = 64 << 10

    /// Writes a group to the tail.
    private func append(
        _ batch: SealedEvents, moving consumers: [String: Position?], byteCount: Int, to tail: LogTail,
        after head: Position
    ) throws(AppendFailure) {
        try secureRoom(for: byteCount, tail)
        var location = tail.location(for: byteCount)
        if location == nil {
            try absorb()
            location = tail.location(for: byteCount)
        }
        guard let free = location else { preconditionFailure("a tail that was taken in has room") }
        do throws(AppendFailure) {
            try tail.append(batch, moving: consumers, after: head, at: free)
        } catch {
            // The disk has no room for a longer tail. A file that begins again may have room at its beginning.
            guard error.isStorageFull, !free.isBeginning else { throw error }
            try absorb()
            guard let beginning = tail.location(for: byteCount) else { throw error }
            try tail.append(batch, moving: consumers, after: head, at: beginning)
        }
        state.withLock { state in
            assert(batch.isEmpty || batch.end.sequence > state.head.sequence, "the head rises")
            state.head = batch.end
            if tail.isSynced { state.syncCount += 1 }
        }
        absorber.noteGroup(isHalfFull: tail.isHalfFull, of: self)
    }

    /// Makes sure that the environment can absorb the tail and a further group of `byteCount` bytes, even if the disk
    /// is full by then.
    private func secureRoom(for byteCount: Int, _ tail: LogTail) throws(AppendFailure) {
        guard !hasRoom(for: byteCount, behind: tail) else { return }
        do throws(AppendFailure) {
            try makeRoom(for: tail.recent.view.byteCount + byteCount)
        } catch {
            // The events of the tail may need less room than was reckoned with, so that absorbing the tail may free
            // enough.
            guard error.isStorageFull else { throw error }
            try absorb()
            guard !hasRoom(for: byteCount, behind: tail) else { return }
            throw error
        }
    }

    /// Whether the environment is known to have room for the tail and a further group of `byteCount` bytes.
    private func hasRoom(for byteCount: Int, behind tail: LogTail) -> Bool {
        isTemporary
            || files.room.load(ordering: .acquiring) >= LogFiles.room(for: tail.recent.view.byteCount + byteCount)
    }

    private func makeRoom(for byteCount: Int) throws(AppendFailure) {
        turn.wait()
        defer { turn.signal() }
        do { try files.makeRoom(LogFiles.room(for: byteCount)) } catch { throw AppendFailure(beforeCommit: error) }
    }

    /// Writes a group to the environment, after all groups of the tail.
    private func store(
        _ batch: SealedEvents, moving consumers: [String: Position?], updating update: ((inout LogMetadata) -> Void)?
    ) throws(AppendFailure) {
        let changed = update.map { update in
            var changed = metadata
            update(&changed)
            return changed
        }
        let keyspaces = keyspaces
        let tail = state.withLock { $0.tail }
        try write { transaction in
            // This group gets a number too. Processes that follow the log see by the number that the environment has
            // changed.
            let last = try LogMetadata.absorbedGroup(transaction, keyspaces.meta)
            try LogMetadata.noteAbsorbed(max(last + 1, tail?.nextNumber ?? 0), transaction, keyspaces.meta)
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
            if let quota, !batch.isEmpty, try transaction.statistics(keyspaces.events).byteCount > quota {
                throw DataStoreError.beyondQuota(quota)
            }
        }
        tail?.noteAbsorbedGroup()
        if let changed { state.withLock { $0.metadata = changed } }
        guard !batch.isEmpty else { return }
        state.withLock { state in
            precondition(batch.end.sequence > state.head.sequence, "the head rises")
            state.head = batch.end
        }
    }

    /// Whether the environment might exceed the quota after it has absorbed the tail and a group of `byteCount` bytes.
    ///
    /// If so, the group is written to the environment at once, which checks the quota. In the pages of the environment
    /// an event takes up to twice its bytes.
    private func isNearQuota(_ byteCount: Int, _ tail: LogTail) -> Bool {
        guard let quota else { return false }
        let stored = state.withLock { $0.storedByteCount }
        return stored + 2 * (tail.recent.view.byteCount + byteCount) > quota
    }

    /// Runs `body` in a write transaction of the log's environment. The transaction first absorbs the tail. Each time that
    /// the map has to grow, the transaction runs again.
    ///
    /// Only the writer calls this method.
    func write<Result>(_ body: (WriteTransaction) throws -> Result) throws(AppendFailure) -> Result {
        turn.wait()
        defer { turn.signal() }
        let result = try writeInTurn(body)
        if !isTemporary { state.withLock { $0.syncCount += 1 } }
        return result
    }

    /// Writes the groups of the tail to the environment.
    func absorb() throws(AppendFailure) {
        turn.wait()
        defer { turn.signal() }
        guard let tail = state.withLock({ $0.tail }), !tail.recent.isAbsorbed(tail.recent.view) else { return }
        if let failure = state.withLock({ $0.failure }) {
            throw AppendFailure.failed(DataStoreError.poisoned(by: failure))
        }
        do throws(AppendFailure) { try writeInTurn { _ in } } catch {
            // A failed sync is never tried again, because a second sync could succeed although data was lost.
            if case .outcomeUnknown(let cause) = error { state.withLock { $0.failure = cause } }
            throw error
        }
    }

    /// Returns the memory that is kept for future groups to the system.
    func releaseMemory() { state.withLock { $0.tail }?.memory.release() }

    private func writeInTurn<Result>(_ body: (WriteTransaction) throws -> Result) throws(AppendFailure) -> Result {
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

    /// Writes the groups of `view`, which are not published, to the environment. After that the environment counts as
    /// having every group up to `last`.
    func take(_ view: RecentEvents.View, countingGroupsTo last: UInt64) throws(AppendFailure) {
        turn.wait()
        defer { turn.signal() }
        try writeInTurn { transaction in
            try put(view, transaction)
            try LogMetadata.noteAbsorbed(last, transaction, keyspaces.meta)
        }
    }

    private func writeOnce<Result>(
        _ files: LogFiles, _ body: (WriteTransaction) throws -> Result
    ) throws(AppendFailure) -> Result {
        precondition(!isReadOnly, "a log that was opened for reading is not written")
        let recent = state.withLock { $0.tail?.recent }
        let view = recent?.view ?? .empty
        let transaction: WriteTransaction
        let result: Result
        let storedByteCount: Int
        do {
            transaction = try files.environment.beginWrite()
            do {
                if let recent, !recent.isAbsorbed(view) { try put(view, transaction) }
                result = try body(transaction)
                storedByteCount = try transaction.statistics(keyspaces.events).byteCount
            } catch {
                transaction.abort()
                throw error
            }
        } catch {
            throw AppendFailure(beforeCommit: error)
        }
        do { try transaction.commit() } catch { throw AppendFailure(inCommit: error) }
        files.committed()
        // The room is measured before the groups are forgotten. Otherwise a check for room could compare the old room with
        // the new, smaller need.
        if !isTemporary { files.measureRoom() }
        recent?.forget(upTo: view)
        state.withLock { $0.storedByteCount = storedByteCount }
        return result
    }

    /// Writes the groups of `view` to the environment.
    private func put(_ view: RecentEvents.View, _ transaction: WriteTransaction) throws {
        let cursor = try transaction.cursor(keyspaces.events)
        let last = try cursor.last().map { UInt64(integerKey: $0.key) } ?? 0
        try view.forEach { number, bytes in
            // The environment of a copy may already have some of the events.
            guard number > last else { return }
            try withIntegerKey(number) { key in
                try cursor.reserve(key, byteCount: bytes.count, append: true).copyMemory(from: bytes)
            }
        }
        for (name, position) in view.consumers { try put(position, for: name, transaction) }
        try LogMetadata.noteAbsorbed(view.frame, transaction, keyspaces.meta)
    }

    /// Copies the current log to `directory`, which exists and is empty.
    func copy(to directory: String) throws {
        let look = try begin()
        let recent = look.recent
        look.end()
        try translatingErrors("copy the log") { try files.environment.copy(to: directory, compacting: true) }
        guard recent.frame > 0 else { return }
        let copy = try EventLog(
            directory: directory, mapSize: nil, isReadOnly: false, create: nil, isForChecking: true)
        defer { copy.close() }
        let absorbed = try copy.files.withReader { try LogMetadata.absorbedGroup($0, copy.keyspaces.meta) }
        guard absorbed < recent.frame else { return }
        do throws(AppendFailure) { try copy.take(recent, countingGroupsTo: recent.frame) } catch { throw error.cause }
    }

    /// Absorbs the whole tail and empties its files, before the log is closed.
    func finish() throws {
        absorber.stop()
        guard !isTemporary else { return }
        do throws(AppendFailure) { try absorb() } catch { throw error.cause }
        state.withLock { $0.tail }?.empty()
        turn.wait()
        defer { turn.signal() }
        // The next opening reserves space again.
        try? files.giveRoomBack()
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
            changed.format = LogMetadata.format
            if changed != before { try changed.write(transaction, keyspaces.meta) }
            return (result, changed)
        }
        state.withLock { $0.metadata = after }
        return result
    }
}

extension DataStoreError {
    fileprivate static func beyondQuota(_ quota: Int) -> DataStoreError {
        DataStoreError(
            .storageFull, "The log would exceed its quota of \(quota) bytes.",
            recovery: "Compact the log, or raise the quota.")
    }

    /// The error for writes after a sync of the log has failed because of `cause`.
    static func poisoned(by cause: any Error) -> DataStoreError {
        DataStoreError(
            .poisoned, "A sync of the log failed earlier, so the store takes no more writes.", underlying: cause,
            recovery: "Close the store and open it again. Opening checks what is durable.")
    }
}
