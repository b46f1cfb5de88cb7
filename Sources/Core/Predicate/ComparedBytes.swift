/// The number of bytes that predicates compare, with a limit.
package struct ComparedBytes {
    /// The smallest number of bytes that a comparison counts.
    package static let leastByteCount = 8

    private let limit: Int
    /// The number of bytes so far, including the bytes of a comparison that was not made because of the limit.
    package private(set) var count = 0

    /// Counts from 0.
    package init(limit: Int = .max) { self.limit = limit }

    /// Whether the comparisons would have exceeded the limit.
    package var isExceeded: Bool { count > limit }
}

extension ComparedBytes: RowPredicate.ComparisonCounter {
    var countsBytes: Bool { true }

    mutating func admits(_ byteCount: Int) -> Bool {
        guard !isExceeded else { return false }
        let (sum, overflows) = count.addingReportingOverflow(max(byteCount, Self.leastByteCount))
        count = overflows ? .max : sum
        return !isExceeded
    }
}
