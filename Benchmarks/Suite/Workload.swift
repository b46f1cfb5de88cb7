import Tidelog

/// The workloads that can be timed.
enum Workload: String, CaseIterable, Sendable {
    case append
    case loadRandom = "load-random"
    case loadOrdered = "load-ordered"
    case update
    case savers
    case pointRead = "point-read"
    case scan
    case indexRange = "index-range"
    case ycsbA = "ycsb-a"
    case rebuild
    case growth
    case open
    case codec
    case server
    case sync
    case syncDelayed = "sync-delayed"

    /// How many posts one query of `index-range` asks for.
    static let rangeLimit = 100

    /// Whether the workload has engines of its own, which are compared in pairs.
    var hasPairs: Bool { [.server, .sync, .syncDelayed].contains(self) }

    /// Whether the engines are compared round by round. The other workloads keep one store for each engine.
    var hasRounds: Bool { self != .growth && self != .open }
}

/// The adapters that can keep Tidelog's rows.
enum Adapter: String, CaseIterable, Sendable {
    case lmdb, sqlite
}

extension WorkloadSize {
    /// The sizes that `options` ask for, with small defaults that finish in seconds.
    init(_ workload: Workload, _ options: Options) {
        let isSingle = workload == .savers
        let durability = options.durability ?? (isSingle ? .full : .relaxed)
        let isSmall = options.workload == nil
        let records =
            options.records
            ?? (isSingle ? 5_000 : workload == .growth && !isSmall ? 5_000_000 : workload == .open ? 500_000 : 100_000)
        let operations =
            switch workload {
            case .indexRange: max(100, min(records / 10, 5_000))
            // A synced write takes as long as many unsynced writes.
            case .ycsbA: min(records, durability == .relaxed ? 200_000 : 40_000)
            default: min(records, 500_000)
            }
        // A saver saves one record per call.
        let batch = isSingle ? 1 : min(options.batch ?? 10_000, records)
        self.init(
            records: records, batch: batch, savers: options.savers ?? 1, durability: durability,
            isLogAlone: workload == .append, operations: operations)
    }
}
