internal import TidelogLMDB
internal import TidelogSynchronization

/// The writer of a log. It owns the tail and the writer of the environment, and decides to which of them a group goes.
///
/// It appends groups and changes the log's metadata. An ``EventLog`` cannot be changed without it.
///
/// Opening a store makes the only writer of the store's log, and the serial section has it from then on. One thread at a time
/// calls its methods.
final class LogWriter {
    /// The log, for reading.
    let log: EventLog
    let environment: EnvironmentWriter
    /// Makes the environment absorb the tail after a time without writes.
    let absorber: Absorber
    private let state: LogState
    private let mapSize: Int?
    /// The most bytes that events may take, `nil` if only the disk limits them.
    private let quota: Int?
    /// Whether the log is deleted when the process ends.
    private let isTemporary: Bool
    /// The tail of the log. `nil` before ``beginTail(isSynced:fileByteCount:)``.
    private(set) var tail: LogTail?
    private let currentSyncCount = Atomic<Int>(0)

    /// The most bytes of a group of ordinary size. More room than that is not taken ahead of need, because it could be the
    /// last space of a small disk.
    private static let ordinaryByteCount = 16 << 10

    /// Opens the log in `directory`, which must exist, and absorbs the groups that the last process left in the tail.
    ///
    /// - Parameters:
    ///   - create: The metadata of a new log, if the directory has no log.
    ///   - quota: The most bytes that events may take.
    ///   - isTemporary: Whether the log is deleted when the process ends.
    ///   - isForChecking: Whether the log is opened in order to check it. The last event may then be damaged.
    init(
        directory: String, mapSize: Int? = nil, create: LogMetadata? = nil, quota: Int? = nil,
        isTemporary: Bool = false, isForChecking: Bool = false
    ) throws {
        let files = try WritableLogFiles.open(directory, mapSize: mapSize, isTemporary: isTemporary, create: create)
        self.mapSize = mapSize
        self.quota = quota
        self.isTemporary = isTemporary
        do {
            let state = try LogState(of: files.files, isForChecking: isForChecking)
            let warnings = try Self.readTail(in: directory, into: state)
            let environment = EnvironmentWriter(files, state.recent, isTemporary: isTemporary)
            try AppendFailure.throwingCause { try environment.absorb() }
            if !isTemporary { environment.giveRoomBack() }
            log = EventLog(files.files, state, openingWarnings: warnings)
            self.state = state
            self.environment = environment
            absorber = Absorber(environment)
        } catch {
            files.files.close()
            throw DataStoreError.translatingLogError(error, "read the log")
        }
    }

    /// How many commits were synced, as `metrics` reports it. Commits that only absorb the tail do not count.
    var syncCount: Int { currentSyncCount.load(ordering: .relaxed) }

    // MARK: Appending

    /// Begins a tail, so that groups are written to it from now on.
    ///
    /// - Parameters:
    ///   - isSynced: Whether each group is durable before it is acknowledged.
    ///   - fileByteCount: The largest size of each file of the tail.
    func beginTail(isSynced: Bool, fileByteCount: Int) throws {
        try environment.measure()
        precondition(tail == nil, "a log has one tail")
        tail = LogTail(
            directory: isTemporary ? nil : log.files.directory, of: state, isSynced: isSynced,
            fileByteCount: fileByteCount)
    }

    /// Appends sealed events and moves consumers, as one group. The log's durability decides when the group is durable.
    ///
    /// - Parameters:
    ///   - consumers: The new positions of consumers. A consumer with the value `nil` is removed.
    ///   - update: A further change of the log's metadata.
    func append(
        _ group: SealedEvents, moving consumers: [String: Position?] = [:],
        updating update: ((inout LogMetadata) -> Void)? = nil
    ) throws(AppendFailure) {
        if let failure = environment.failure { throw AppendFailure.failed(DataStoreError.poisoned(by: failure)) }
        // The tail has no place for metadata, schemas, or more consumers than its format allows. Groups with these go to
        // the environment.
        if let tail, update == nil, group.schemaVersions.isEmpty, consumers.count <= TailFormat.maximumConsumerCount {
            let byteCount = group.frameByteCount(moving: consumers)
            if byteCount <= tail.largestGroup, !isNearQuota(byteCount) {
                return try appendToTail(group, moving: consumers, byteCount: byteCount, tail)
            }
        }
        try appendToEnvironment(group, moving: consumers, updating: update)
    }

    /// Whether a group of ordinary size can go to the tail at once, without a wait for the environment.
    var takesGroupsAtOnce: Bool {
        guard let tail, tail.location(for: Self.ordinaryByteCount) != nil else { return false }
        return environment.hasRoom(for: Self.ordinaryByteCount)
    }

    /// Makes sure that the environment has room for the tail and a further group of `byteCount` bytes.
    func secureRoom(for byteCount: Int) throws {
        try AppendFailure.throwingCause { try environment.secureRoom(for: byteCount) }
    }

    private func appendToTail(
        _ group: SealedEvents, moving consumers: [String: Position?], byteCount: Int, _ tail: LogTail
    ) throws(AppendFailure) {
        try environment.secureRoom(for: byteCount, preferring: Self.ordinaryByteCount)
        var location = tail.location(for: byteCount)
        if location == nil {
            try absorb()
            location = tail.location(for: byteCount)
        }
        guard let free = location else { preconditionFailure("an absorbed tail has room") }
        do throws(AppendFailure) {
            try tail.append(group, moving: consumers, at: free)
        } catch {
            // The disk has no room for a longer tail. The last file may have room at its beginning.
            guard error.isStorageFull else { throw error }
            try absorb()
            guard let beginning = tail.location(for: byteCount), beginning != free else { throw error }
            try tail.append(group, moving: consumers, at: beginning)
        }
        if tail.isSynced { noteSync() }
        absorber.noteGroup(isHalfFull: tail.isHalfFull, memory: tail.memory)
    }

    /// Writes a group to the environment, after all groups of the tail.
    private func appendToEnvironment(
        _ group: SealedEvents, moving consumers: [String: Position?], updating update: ((inout LogMetadata) -> Void)?
    ) throws(AppendFailure) {
        let end = state.recent.end
        precondition(end.isFollowed(by: group), "events are appended right after the head")
        let changed = update.map { update in
            var changed = state.metadata
            update(&changed)
            return changed
        }
        let keyspaces = log.keyspaces
        try commit { transaction in
            // This group gets a number too. Processes that follow the log see by the number that the environment has changed.
            try LogMetadata.noteAbsorbed(end.group + 1, transaction, keyspaces.meta)
            let cursor = try transaction.cursor(keyspaces.events)
            try group.forEach { try cursor.append($0, $1) }
            for (version, sequence) in group.schemaVersions {
                try keyspaces.notePlace(ofSchema: version, at: sequence, transaction)
            }
            try keyspaces.move(consumers, transaction)
            try changed?.write(transaction, keyspaces.meta)
            if let quota, !group.isEmpty, try transaction.statistics(keyspaces.events).byteCount > quota {
                throw DataStoreError.beyondQuota(quota)
            }
        }
        if let changed { state.metadata = changed }
        state.recent.noteCommitted(endingAt: group.isEmpty ? end.position : group.end)
    }

    /// Whether the environment might exceed the quota after it has absorbed the tail and a group of `byteCount` bytes.
    ///
    /// If so, the group is written to the environment at once, which checks the quota. In the pages of the environment
    /// an event takes up to twice its bytes.
    private func isNearQuota(_ byteCount: Int) -> Bool {
        guard let quota else { return false }
        return environment.storedByteCount + 2 * (state.recent.view.byteCount + byteCount) > quota
    }

    // MARK: Writing to the environment

    /// Writes the groups of the tail to the environment.
    func absorb() throws(AppendFailure) { try environment.absorb() }

    /// Runs `body` in a write transaction of the environment and commits it. The transaction first absorbs the tail. Each
    /// time that the map has to grow, the transaction runs again.
    func commit<Result>(_ body: (WriteTransaction) throws -> Result) throws(AppendFailure) -> Result {
        let result = try environment.commit(body)
        if !isTemporary { noteSync() }
        return result
    }

    private func noteSync() { currentSyncCount.add(1, ordering: .relaxed) }

    /// Changes the log's metadata.
    func update(_ body: (inout LogMetadata) -> Void) throws(AppendFailure) {
        try update { _, metadata in body(&metadata) }
    }

    /// Changes the log's metadata and more in one transaction.
    func update<Result>(
        _ body: (WriteTransaction, inout LogMetadata) throws -> Result
    ) throws(AppendFailure) -> Result {
        let before = state.metadata
        let (result, after) = try commit { transaction in
            var changed = before
            let result = try body(transaction, &changed)
            precondition(changed.floor.sequence >= before.floor.sequence, "the floor never falls")
            changed.format = LogMetadata.format
            if changed != before { try changed.write(transaction, log.keyspaces.meta) }
            return (result, changed)
        }
        state.metadata = after
        return result
    }

    /// Makes all commits of the environment durable.
    func sync() throws { try translatingErrors("sync the log") { try environment.sync() } }

    // MARK: Files

    /// Continues in the files in `directory`, which have the same content as the present files. This happens between two
    /// groups, after the environment has absorbed the tail.
    func move(to directory: String) throws {
        let files = try WritableLogFiles.open(directory, mapSize: mapSize, isTemporary: isTemporary, create: nil)
        environment.replaceFiles(with: files)
        if !isTemporary { tail?.move(to: directory) }
        log.replaceFiles(with: files.files)
    }

    /// Absorbs the whole tail and empties its files, before the log is closed.
    ///
    /// - Parameter isKept: Whether the log is opened again, even if it is temporary.
    func finish(isKept: Bool = false) throws {
        absorber.stop()
        guard !isTemporary || isKept else { return }
        try AppendFailure.throwingCause { try absorb() }
        tail?.empty()
        environment.giveRoomBack()
    }

    /// Stops the absorber, and closes the files of the tail. Nothing is appended after that. The log can still be read.
    func stop() {
        absorber.stop()
        tail?.closeFiles()
    }

    /// Stops, and closes the log. This method returns after the last reader has finished.
    func close() {
        stop()
        log.close()
    }

    // MARK: Schemas

    /// Appends `schema` as a separate commit.
    ///
    /// - Parameter isMigrating: Whether records must be rewritten for this schema.
    func appendSchema(_ schema: StoredSchema, isMigrating: Bool = false) throws {
        let staged = StagedEvents()
        staged.begin(
            after: log.head, wallClock: WallClock.microsecondsSince1970(), incarnation: log.metadata.incarnation)
        staged.beginCommit()
        let index = try staged.stage(
            nil, key: nil, header: EventHeader(kind: .schemaChanged, schemaVersion: schema.version),
            payload: SchemaCoding.encode(schema))
        staged.noteSchema(version: schema.version, at: index)
        let sealed = SealedEvents(sealing: staged, commitEnds: [staged.count])
        try AppendFailure.throwingCause {
            try append(sealed) { metadata in
                guard isMigrating else { return }
                metadata.migration = MigrationMark(schemaVersion: schema.version, sequence: sealed.end.sequence)
            }
        }
    }

    // MARK: Opening

    /// Reads the groups that the last process left in the tail, and publishes them in `state`.
    ///
    /// - Returns: Descriptions of damage that loses no event.
    static func readTail(in directory: String, into state: LogState) throws -> [String] {
        let recent = state.recent
        let end = recent.end
        var tail = TailFiles(directory: directory)
        try tail.open(state.metadata, after: end.group)
        let warnings = tail.damaged.map { path in
            "The first bytes of \(path) are damaged. No event is lost: the log's environment has every group. The next "
                + "change begins the file again."
        }
        var cursor = TailCursor(after: end)
        while try cursor.next(in: tail, { recent.publishCopy(of: $0, $1) }) {}
        try cursor.requireNothingMissing(in: tail)
        // A power loss may have removed the group before this one. This group is then lost too, and its number is not
        // used again.
        let highest = try tail.highestNumber()
        if highest > cursor.last { recent.skip(upTo: highest) }
        return warnings
    }

    // MARK: Copies

    /// Copies `log` to `directory`, which exists and is empty. The log may be open for reading only.
    static func copy(_ log: EventLog, to directory: String) throws {
        let view = try log.begin()
        let recent = view.recent
        view.end()
        try translatingErrors("copy the log") { try log.files.copy(to: directory) }
        guard recent.frame > 0 else { return }
        let copy = try LogWriter(directory: directory, isForChecking: true)
        defer { copy.close() }
        try AppendFailure.throwingCause { try copy.environment.absorb(recent) }
    }

    /// Marks the log as a copy. Its first opening for writing gives it a new incarnation.
    func becomeCopy() throws {
        try AppendFailure.throwingCause { try update { $0.incarnation = LogMetadata.copyIncarnation } }
        try sync()
    }
}

extension DataStoreError {
    fileprivate static func beyondQuota(_ quota: Int) -> DataStoreError {
        DataStoreError(
            .storageFull, "The log would exceed its quota of \(quota) bytes.",
            recovery: "Compact the log, or raise the quota.")
    }
}
