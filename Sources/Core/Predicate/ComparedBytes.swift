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

/// Evaluating a predicate while its comparisons are counted.
extension RowPredicate {
    /// Whether the predicate holds for `row`. `bytes` counts the compared bytes.
    ///
    /// If the comparisons would exceed the limit of `bytes`, the rest is not made, and the result has no meaning.
    package func evaluate(_ row: RowView, counting bytes: inout ComparedBytes) throws(RowDamage) -> Bool {
        if isAlwaysTrue { return true }
        return try evaluate(0, row, &bytes)
    }

    /// The largest number of bytes that the comparison of `node` reads. A number or an instant counts as none.
    func comparedByteCount(_ node: Node, _ row: RowView) throws(RowDamage) -> Int {
        guard let value = try row.value(node.slot) else { return 0 }
        switch node.operation {
        case .text, .beginsWith, .endsWith: return min(value.count, node.constant.count)
        // These read the whole value.
        case .textContains, .textListContains, .foldedText, .foldedBeginsWith, .foldedEndsWith, .foldedContains,
            .valueEqual, .valueContains:
            return value.count + node.constant.count
        default: return 0
        }
    }
}

extension RowPredicate {
    /// Counts the comparisons that evaluating a predicate takes.
    protocol ComparisonCounter {
        /// Whether the counter needs to know how many bytes a comparison reads.
        var countsBytes: Bool { get }

        /// Counts a comparison of `byteCount` bytes. Returns whether it may be made.
        mutating func admits(_ byteCount: Int) -> Bool
    }
}

extension RowPredicate {
    /// A counter that counts nothing and costs nothing.
    struct Uncounted: ComparisonCounter {
        var countsBytes: Bool {
            @inline(__always) get { false }
        }

        @inline(__always)
        mutating func admits(_ byteCount: Int) -> Bool { true }
    }
}
