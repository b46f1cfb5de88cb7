internal import TidelogGraphQLExecution
internal import TidelogSynchronization

/// The budget for comparisons: how many bytes the filters of one request may compare, or the filter of one subscription for one
/// change.
///
/// A budget is needed because a short document can ask for very many comparisons of very long texts.
final class ComparisonBudget: Sendable {
    /// The size in bytes from which the budget checks whether the task was cancelled.
    private static let longByteCount = 1 << 16

    private let maximumByteCount: Int
    private let spent = Atomic<Int>(0)

    /// - Parameter maximumByteCount: The number of bytes that may be compared.
    init(maximumByteCount: Int) {
        precondition(maximumByteCount >= 0, "a budget is not negative")
        self.maximumByteCount = maximumByteCount
    }

    /// The number of bytes that were compared so far.
    var byteCount: Int { spent.load(ordering: .relaxed) }

    /// The number of bytes that may still be compared. A predicate stops before it compares more.
    var remainingByteCount: Int { max(0, maximumByteCount - byteCount) }

    /// Counts `count` bytes that were compared, or that would have been compared without the limit.
    ///
    /// - Throws: An error of the type `LimitExceededException` if the limit is exceeded; an error if the task was cancelled.
    func spend(_ count: Int) throws(ResolverError) {
        assert(count >= 0, "compared bytes are never taken back")
        if count >= Self.longByteCount { try checkCancellation() }
        guard spent.wrappingAdd(count, ordering: .relaxed).newValue <= maximumByteCount else {
            throw ResolverError(
                "The request asks for too much, filters that compare more than \(maximumByteCount) bytes: ask for less at a "
                    + "time, or filter by a key or an index.", errorType: ServiceFailure.limitExceeded)
        }
    }

    /// Throws an error if the task was cancelled, which happens when the client has left.
    func checkCancellation() throws(ResolverError) {
        guard !Task.isCancelled else { throw ResolverError("The request was cancelled.") }
    }
}
