internal import TidelogCore

/// The time of the last change. It follows the clock, but never decreases, even if the clock is set back.
struct ChangeTime: Sendable {
    /// The name of the fact that holds the ceiling.
    static let fact = "time"
    /// The distance in milliseconds between the time and the next ceiling. A ceiling is written at most once in this period.
    private static let reach: Int64 = 5_000

    private var last: Int64
    /// The time of the last change that is known to be committed.
    var acknowledged: Int64
    /// An upper limit of the time that the store keeps. It was not reached when it was written. After a restart, the time
    /// continues from it.
    var ceiling: Int64

    /// Reads the time with which `store` continues.
    init(_ store: DataStore, _ models: [String]) async throws {
        let latest = Sort([Sort.Key(Metadata.lastChangedAt, isDescending: true)])
        (acknowledged, last, ceiling) = try await store.read { snapshot in
            var last: Int64 = 0
            for model in models {
                for record in try snapshot.fetch(Record.all(of: model).sorted(by: latest).limit(1)) {
                    last = max(last, record.lastChangedAt)
                }
            }
            guard case .int(let ceiling) = try snapshot.record(ServerModels.fact, id: RecordID(Self.fact))?["number"]
            else { return (last, last, 0) }
            return (last, max(last, ceiling), ceiling)
        }
    }

    /// Moves the time forward to `clock`, if `clock` is later. Returns the time.
    mutating func advance(to clock: Int64) -> Int64 {
        last = max(last, clock)
        return last
    }

    /// The ceiling to write to the store; `nil` if the time is still below the stored ceiling.
    var nextCeiling: Int64? { last < ceiling ? nil : last + Self.reach }
}
