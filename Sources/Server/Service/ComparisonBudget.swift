internal import Synchronization
internal import TidelogGraphQL

/// How many bytes the filters of one request may compare, or the filter of one subscription for one change.
///
/// A short document can ask for very many comparisons of very long texts.
final class ComparisonBudget: Sendable {
    /// What every test of a value costs, in bytes.
    static let leastByteCount = 8
    /// A comparison of so many bytes looks first if anybody still waits for its result.
    private static let longByteCount = 1 << 16

    private let maximumByteCount: Int
    private let spent = Atomic<Int>(0)

    /// - Parameter maximumByteCount: How many bytes may be compared.
    init(maximumByteCount: Int) { self.maximumByteCount = maximumByteCount }

    /// The bytes that were compared until now.
    var byteCount: Int { spent.load(ordering: .relaxed) }

    /// Counts a comparison of `count` bytes before it is made.
    ///
    /// - Throws: an error of the type `LimitExceededException` if there would be too many bytes; an error if the task was
    ///   cancelled.
    func spend(_ count: Int) throws(ResolverError) {
        let count = max(count, Self.leastByteCount)
        if count >= Self.longByteCount { try checkCancellation() }
        guard spent.wrappingAdd(count, ordering: .relaxed).newValue <= maximumByteCount else {
            throw ResolverError(
                "The request asks for too much, filters that compare more than \(maximumByteCount) bytes: ask for less at a "
                    + "time, or filter by a key or an index.", errorType: ServiceFailure.limitExceeded)
        }
    }

    /// Throws if the task was cancelled: its client has left.
    func checkCancellation() throws(ResolverError) {
        guard !Task.isCancelled else { throw ResolverError("The request was cancelled.") }
    }
}
