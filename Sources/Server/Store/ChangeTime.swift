internal import TidelogCore

/// The time of the last change: it follows the clock and never falls, also where the clock is set back.
struct ChangeTime: Sendable {
    /// The name of the fact that is the ceiling.
    static let fact = "time"
    /// How far ahead of the time the next ceiling is, in milliseconds: it is written once in as long at most.
    private static let reach: Int64 = 5_000

    private var last: Int64
    /// The time of the last change of which it is known that it was committed.
    var acknowledged: Int64
    /// A time that was not reached yet when the store was told: the store goes on from it when it is opened again.
    var ceiling: Int64

    /// The time at which `store` goes on.
    init(_ store: DataStore, _ models: [String]) async throws {
        let latest = Sort([Sort.Key(Metadata.lastChangedAt, isDescending: true)])
        (acknowledged, last, ceiling) = try await store.read { snapshot in
            var last: Int64 = 0
            for model in models {
                for record in try snapshot.records(model, sort: latest, page: .first(1)) {
                    last = max(last, record.lastChangedAt)
                }
            }
            guard case .int(let ceiling) = try snapshot.record(ServerModels.fact, id: RecordID(Self.fact))?["number"]
            else { return (last, last, 0) }
            return (last, max(last, ceiling), ceiling)
        }
    }

    /// Rises to `clock`, if that is later; returns the time.
    mutating func advance(to clock: Int64) -> Int64 {
        last = max(last, clock)
        return last
    }

    /// The ceiling that the store is to be told, `nil` if the time is below the one that it knows.
    var nextCeiling: Int64? { last < ceiling ? nil : last + Self.reach }
}
