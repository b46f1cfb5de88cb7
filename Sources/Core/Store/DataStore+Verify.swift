#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// What checking a store found.
public struct VerificationReport: Sendable, Hashable {
    /// One damaged event.
    public struct Damage: Sendable, Hashable {
        /// Which event.
        public let sequence: SequenceNumber
        /// What is wrong with it.
        public let reason: String
    }

    /// Whether rows are what the log says.
    public enum Projection: String, Sendable, Hashable {
        /// Every row is its event's, none is missing, none is too many; the tables beside the rows are what events say.
        case equal
        /// Something is not as the log says: rebuild the rows.
        case differs
    }

    /// How many events the log holds.
    public internal(set) var eventCount = 0
    /// What is damaged in the log, in order.
    public internal(set) var damaged: [Damage] = []
    /// The last event before the first damage.
    public internal(set) var lastGood = SequenceNumber.zero
    /// How rows and log compare; `nil` if only the log was looked at.
    public internal(set) var projection: Projection?
    /// What differs, at most the first 100 differences; none of it is a record's data.
    public internal(set) var differences: [String] = []
    /// The registered projections whose tables were not compared, since events that they were made from are gone.
    public internal(set) var uncomparedProjections: [String] = []
    /// The hash over all rows; `nil` if only the log was looked at.
    public internal(set) var stateHash: StateHash?

    /// Whether nothing is wrong.
    public var isWhole: Bool { damaged.isEmpty && projection != .differs }

    init(_ report: LogVerification.Report) {
        eventCount = report.eventCount
        damaged = report.damaged.map { Damage(sequence: $0.sequence, reason: $0.reason) }
        lastGood = report.lastGood
    }
}

extension DataStore {
    /// Reads every event and compares every row with its event. Reads and writes go on meanwhile.
    ///
    /// The tables of registered projections are recreated in memory and compared too, unless a compaction has dropped
    /// events that they were made from. The log is looked at in slices, and from the beginning again if a compaction
    /// comes between them. A view of the rows is held throughout, so that room freed there meanwhile is used again only
    /// afterwards. A file whose structure is damaged, rather than an event in it, may end the process: LMDB trusts its
    /// pages. If that matters, verify in a child process.
    ///
    /// - Parameter progress: Told now and then how far the log has been read.
    /// - Throws: ``DataStoreError``: `projectionUnavailable`, `closed`, `inputOutput`. Damage is reported, not thrown.
    public func verify(progress: (@Sendable (RebuildProgress) -> Void)? = nil) async throws -> VerificationReport {
        let generation = try readable { generation in
            try generation.rows.requireAvailable()
            return generation
        }
        let projector = try Projector(projections: configuration.projections, schemas: generation.schemas)
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
                var comparison = try RowVerification(reader, rows, generation.layout, generation.schemas.upcasts)
                let tables = try ProjectionVerification(reader, rows, projector)
                report.differences = Array((try comparison.run(progress: told) + tables.differences).prefix(100))
                report.uncomparedProjections = tables.skipped
                report.projection = report.differences.isEmpty ? .equal : .differs
                return report
            }
        }
    }

    /// Reads every event of the store at `directory` without opening it for writing; also if another process has it
    /// open. The rows are not looked at.
    ///
    /// - Throws: ``DataStoreError``: `notFound`; `logDamaged` if the file is damaged beyond reading events; `locked`
    ///   if this process has the store open (use ``verify(progress:)``); `newerFormat`.
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
}

extension EventLog {
    /// Opens the current log of the store in a directory, for reading.
    convenience init(readingStoreAt path: String) throws {
        let directory = try StoreDirectory(path, create: false)
        let number = try StoreDirectory.highest("generation-", in: path)
        guard number > 0 else {
            throw DataStoreError.noStore(at: path)
        }
        try self.init(
            directory: directory.log(number, directory.logNumber(number)), mapSize: nil, isReadOnly: true, create: nil,
            isForChecking: true)
    }
}
