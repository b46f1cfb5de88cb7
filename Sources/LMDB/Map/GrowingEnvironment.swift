internal import TidelogPlatform
internal import TidelogSynchronization

/// An environment whose map grows with its file, and the pool of its readers.
///
/// A map can only be replaced while no transaction of this process is running. A write transaction that finds less than half
/// of the map free therefore replaces it if no transaction is reading at that moment. After a write that did not fit, the next
/// one waits for the readers.
public final class GrowingEnvironment: Sendable {
    private let environment: Environment
    private let readers: ReaderPool
    /// Whether the map is being replaced. No reader begins during that time.
    private let isReplacing = Atomic<Bool>(false)

    /// How long the replacement of the map waits for readers to end.
    private static let growingPatience = Duration.seconds(5)
    /// How long a reader waits for the map. This is longer, so that a thread that reads twice at once does not fail because the
    /// map waits for its first read.
    private static let readingPatience = Duration.seconds(10)

    /// Makes the map of `environment` grow. Only this instance uses that environment.
    public init(_ environment: Environment) {
        self.environment = environment
        readers = ReaderPool(environment)
    }

    // MARK: Reading

    /// Takes a transaction that shows the last commit. Return it with ``give(_:)``.
    /// - Throws: ``LMDBError``: `addressSpace`, `mapIsRead`, `closed`, `readersFull`.
    @inline(__always)
    public func take() throws(LMDBError) -> ReadTransaction {
        if !isReplacing.load(ordering: .acquiring) {
            do throws(LMDBError) { return try readers.take() } catch { return try takeAgain(after: error) }
        }
        return try takeAgain(after: LMDBError(.busy, "begin reading"))
    }

    /// Returns a transaction. Its pointers and cursors become invalid.
    public func give(_ reader: ReadTransaction) { readers.give(reader) }

    /// Calls `body` with a transaction that shows the last commit.
    @inline(__always)
    public func withReader<Result>(_ body: (ReadTransaction) throws -> Result) throws -> Result {
        let reader = try take()
        defer { give(reader) }
        return try body(reader)
    }

    /// Whether the map must be replaced, which happens as soon as no transaction is running. Long reads should then end.
    public var isWanted: Bool {
        @inline(__always) get { isReplacing.load(ordering: .relaxed) }
    }

    /// Begins a read after a failed attempt. This method waits for a new map, follows a process that made its map larger, or
    /// frees the slots of dead readers.
    private func takeAgain(after failure: LMDBError) throws(LMDBError) -> ReadTransaction {
        var failure = failure
        let deadline = ContinuousClock.now + Self.readingPatience
        while ContinuousClock.now < deadline {
            switch failure.code {
            case .busy: usleep(100)
            case .mapResized: try grow()
            case .readersFull: try environment.clearStaleReaders()
            default: throw failure
            }
            if isReplacing.load(ordering: .acquiring) { continue }
            do throws(LMDBError) { return try readers.take() } catch { failure = error }
        }
        throw failure
    }

    // MARK: Writing

    /// Begins the write transaction, with a larger map if the last one did not fit, or if less than half of the map is free and
    /// no transaction is reading.
    /// - Throws: ``LMDBError``: `addressSpace` or `mapIsRead` if the last transaction did not fit and the map cannot grow; and
    ///   the errors of ``Environment/beginWrite()``.
    public func beginWrite() throws(LMDBError) -> WriteTransaction {
        switch environment.mapUse {
        case .small: break
        // The transaction may fit although the map does not grow. If it does not fit, the next one waits.
        case .large: _ = try? environment.growMap(isEarly: true)
        case .full: try grow()
        }
        while true {
            do throws(LMDBError) { return try environment.beginWrite() } catch  where error.code == .mapResized {
                try grow()
            }
        }
    }

    /// Makes the map larger. New readers wait until the current readers have ended.
    /// - Throws: ``LMDBError``: `mapIsRead` if a reader does not end within 5 s; `addressSpace`; `closed`.
    private func grow() throws(LMDBError) {
        guard !isReplacing.exchange(true, ordering: .acquiringAndReleasing) else {
            usleep(100)
            return
        }
        defer { isReplacing.store(false, ordering: .releasing) }
        do throws(LMDBError) {
            try whileBusy(atMost: Self.growingPatience) { () throws(LMDBError) in try environment.growMap() }
        } catch  where error.code == .busy {
            environment.forgetFullMap()
            throw LMDBError(.mapIsRead, "grow the map", "a reader did not end within 5 s")
        }
    }

    /// Calls `body` until it no longer throws `busy`.
    private func whileBusy<Result>(
        atMost patience: Duration, _ body: () throws(LMDBError) -> Result
    ) throws(LMDBError) -> Result {
        let deadline = ContinuousClock.now + patience
        while true {
            do throws(LMDBError) { return try body() } catch {
                guard error.code == .busy, ContinuousClock.now < deadline else { throw error }
            }
            usleep(100)
        }
    }

    // MARK: Ending

    /// Ends all unused readers, refuses transactions from now on, and closes the files after the last reader has ended.
    public func close() {
        readers.close()
        environment.close()
    }

    /// Closes like ``close()``, and waits until the last reader has ended and the files are closed.
    public func closeAfterReaders() {
        readers.close()
        environment.closeAfterTransactions()
    }
}

/// Calls of the environment that need no transaction.
extension GrowingEnvironment {
    /// The environment's state.
    public var information: Environment.Information {
        get throws(LMDBError) {
            try whileBusy(atMost: Self.readingPatience) { () throws(LMDBError) in try environment.information }
        }
    }

    /// The bytes of the pages that the next write transaction can use before the file grows.
    ///
    /// - Parameter information: The state of this environment before the call. A view that begins later reads the last commit,
    ///   so that it does not block any of these pages.
    public func freePageByteCount(after information: Environment.Information) throws -> Int {
        try withReader { try $0.freePageCount(besideReaderOf: information.oldestReaderTransactionID) }
            * information.pageSize
    }

    /// Whether the data file was removed.
    public var isRemoved: Bool { get throws(LMDBError) { try environment.isRemoved } }

    /// Writes the last commit, without free pages, to `data.mdb` in another directory.
    public func copy(to directory: String) throws(LMDBError) {
        try whileBusy(atMost: Self.readingPatience) { () throws(LMDBError) in
            try environment.copy(to: directory, compacting: true)
        }
    }

    /// Syncs all commits to the device.
    public func sync() throws(LMDBError) { try environment.sync() }

    /// Frees the slots of readers whose processes have died.
    public func clearStaleReaders() throws(LMDBError) { try environment.clearStaleReaders() }
}
