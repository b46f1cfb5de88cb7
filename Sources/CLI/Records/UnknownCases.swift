internal import Synchronization

/// Counts texts that are no case of their enum, by field, while records are saved.
final class UnknownCases: Sendable {
    private let counts = Mutex<[String: Int]>([:])

    func add(_ others: [String: Int]) {
        guard !others.isEmpty else { return }
        counts.withLock { $0.merge(others, uniquingKeysWith: +) }
    }

    /// How many there were in each field.
    var byField: [String: Int] { counts.withLock { $0 } }
}

extension Console {
    /// Tells people of texts that may be misspelled. They were kept: another build's schema may know them.
    func warn(ofUnknownCases counts: [String: Int]) {
        for (field, count) in counts.sorted(by: { $0.key < $1.key }) {
            warn("\(field) has \(counted(count, "text")) that the schema's enum does not name. They are kept.")
        }
    }
}
