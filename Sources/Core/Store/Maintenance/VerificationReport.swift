/// The result of verifying a store.
public struct VerificationReport: Sendable, Hashable {
    /// One damaged event.
    public struct Damage: Sendable, Hashable {
        /// The number of the damaged event.
        public let sequence: SequenceNumber
        /// A description of the damage.
        public let reason: String
    }

    /// Whether the rows agree with the log.
    public enum Projection: String, Sendable, Hashable {
        /// Every row agrees with its event, no row is missing, and there are no extra rows. The auxiliary tables also
        /// agree with the events.
        case equal
        /// Some rows or entries differ from the log. Rebuild the rows.
        case differs
    }

    /// How many events the log holds.
    public internal(set) var eventCount = 0
    /// The damaged events of the log, in order.
    public internal(set) var damaged: [Damage] = []
    /// The last event before the first damage.
    public internal(set) var lastGood = SequenceNumber.zero
    /// Whether the rows agree with the log, `nil` if only the log was checked.
    public internal(set) var projection: Projection?
    /// The first 100 differences between rows and log, as text. The text contains no data of records.
    public internal(set) var differences: [String] = []
    /// The registered projections whose tables were not compared, because the log no longer has the events that they
    /// were made from.
    public internal(set) var uncomparedProjections: [String] = []
    /// The hash over all rows, `nil` if only the log was checked.
    public internal(set) var stateHash: StateHash?

    /// Whether no damage and no difference was found.
    public var isWhole: Bool { damaged.isEmpty && projection != .differs }

    init(_ report: LogVerification.Report) {
        eventCount = report.eventCount
        damaged = report.damaged.map { Damage(sequence: $0.sequence, reason: $0.reason) }
        lastGood = report.lastGood
    }
}

extension DataStore {
    /// Verifies the store: reads every event, and compares every row with its event. Reads and writes continue during
    /// that time.
    ///
    /// The tables of registered projections are also recreated in memory and compared, unless a compaction has dropped
    /// events that they were made from. The log is read in slices. If a compaction happens between two slices, the log
    /// is read again from the beginning. One view of the rows stays open during the whole verification. Room in the
    /// rows' file that is freed during that time is used again only afterwards.
    ///
    /// If the structure of a file is damaged, and not only an event in it, the verification may end the process,
    /// because LMDB trusts its pages. If the process must survive this, verify in a child process.
    ///
    /// - Parameter progress: Called from time to time with the last event that was read.
    /// - Throws: ``DataStoreError``: `projectionUnavailable`, `closed`, `inputOutput`. Damage is reported, not thrown.
    public func verify(progress: (@Sendable (RebuildProgress) -> Void)? = nil) async throws -> VerificationReport {
        let generation = try state.readable { generation in
            try generation.rows.requireAvailable()
            return generation
        }
        return try await Blocking.run {
            try generation.rows.matching { reader, rows in
                let floor = try reader.metadata().floor.sequence
                let last = Swift.max(floor, rows.checkpointSequence)
                let told = { (sequence: SequenceNumber) -> Void in
                    progress?(RebuildProgress(sequence: sequence, head: last))
                }
                var report = VerificationReport(try LogVerification.verify(reader, progress: told))
                reader.pause()
                report.stateHash = try StateHash(of: rows, schema: generation.layout)
                guard report.damaged.isEmpty else { return report }
                var comparison = try RowVerification(
                    reader, rows, layout: generation.layout, upcasts: generation.schemas.upcasts)
                let tables = try ProjectionVerification(reader, rows, generation.rows.projector)
                report.differences = Array((try comparison.run(progress: told) + tables.differences).prefix(100))
                report.uncomparedProjections = tables.skipped
                report.projection = report.differences.isEmpty ? .equal : .differs
                return report
            }
        }
    }
}

extension EventLog {
    /// Opens the current log of the store in a directory for reading.
    convenience init(readingStoreAt path: String) throws {
        let directory = try StoreDirectory(reading: path)
        let number = try StoreDirectory.highest("generation-", in: path)
        guard number > 0 else { throw DataStoreError.noStore(at: path) }
        try self.init(reading: directory.log(number, directory.logNumber(number)), isForChecking: true)
    }
}
