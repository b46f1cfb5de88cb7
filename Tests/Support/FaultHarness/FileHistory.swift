/// Everything that happened to one file's bytes and size, in order.
struct FileHistory: Sendable {
    struct Change: Sendable {
        enum Kind: Sendable {
            /// Bytes of the trace, or zeros if there is no range.
            case write(offset: Int, length: Int, bytes: Range<Int>?)
            case truncate(size: Int)
            case extend(size: Int)
        }

        /// Counts records from the start of the trace.
        let position: Int
        let kind: Kind
        /// Where the sync ended that made it durable.
        var coveredAt: Int?

        func isDurable(before cut: Int) -> Bool {
            coveredAt.map { $0 < cut } ?? false
        }
    }

    /// The file's path before the trace began, where it was there then.
    let basePath: String?
    /// Every path that it had.
    var paths: Set<String>
    var changes: [Change] = []
    /// The changes that a sync beginning now would cover.
    var pending: [Int] = []

    init(path: String, isBase: Bool) {
        basePath = isBase ? path : nil
        paths = [path]
    }
}
