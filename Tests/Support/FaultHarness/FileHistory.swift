/// All changes of one file's bytes and size, in order.
struct FileHistory: Sendable {
    struct Change: Sendable {
        enum Kind: Sendable {
            /// A write of bytes of the trace, or of zeros if there is no range.
            case write(offset: Int, length: Int, bytes: Range<Int>?)
            case truncate(size: Int)
            case extend(size: Int)
        }

        /// The number of records in the trace before the change.
        let position: Int
        let kind: Kind
        /// The position at which the sync ended that made the change durable.
        var coveredAt: Int?

        func isDurable(before cut: Int) -> Bool {
            coveredAt.map { $0 < cut } ?? false
        }
    }

    /// The file's path before the trace began, if the file existed then.
    let basePath: String?
    /// All paths that the file has had.
    var paths: Set<String>
    var changes: [Change] = []
    /// The changes that a sync would cover if it began now.
    var pending: [Int] = []

    init(path: String, isBase: Bool) {
        basePath = isBase ? path : nil
        paths = [path]
    }
}
