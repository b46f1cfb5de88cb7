import Tidelog

/// A kind of work that is timed.
enum Work: String, CaseIterable, Codable, Sendable {
    case save
    case saveRelaxed
    case saveTogether
    case load
    case read
    case range
    case scan

    /// The work with the unit of its rate, for tables and plots.
    var title: String {
        switch self {
        case .save: "saves a second, one at a time, durable"
        case .saveRelaxed: "saves a second, one at a time, without a sync"
        case .saveTogether: "saves a second by 64 tasks, durable"
        case .load: "posts loaded a second, 1,000 a transaction"
        case .read: "posts read a second, by id"
        case .range: "ranges of 100 posts a second, by an index"
        case .scan: "posts scanned a second, for a text"
        }
    }

    var durability: Durability { self == .saveRelaxed ? .relaxed : .full }
}

/// How much of each work is done in a round.
struct Amounts: Sendable {
    var posts = 100_000
    var saves = 4_000
    var tasks = 64
    var reads = 40_000
    var ranges = 2_000
    var scans = 10

    /// Small amounts, which show that everything runs.
    static let quick = Amounts(posts: 3_000, saves: 256, reads: 500, ranges: 50, scans: 1)
}
