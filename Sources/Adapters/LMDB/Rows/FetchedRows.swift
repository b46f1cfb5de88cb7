internal import TidelogLMDB

/// The rows of an index, which are found some at a time before they are read. Rows that follow each other in an index are at
/// different places in the file, so the processor waits for each of them. It waits less if several rows are asked for before
/// the first one is read.
struct FetchedRows {
    /// The largest number of rows that are found before the first of them is visited.
    private static let largestCount = 16

    private var keys: [UnsafeRawBufferPointer] = []
    private var values: [UnsafeRawBufferPointer] = []
    /// The number of rows to find before a visit.
    private var wanted: Int
    /// The number of rows that the visitor still wants.
    private var limit: Int

    /// - Parameter limit: The number of rows that the visitor wants, if it is known. Otherwise the number of rows that are
    ///   found before a visit grows, because a visitor often wants only the first rows.
    init(limit: Int?) {
        self.limit = limit ?? .max
        wanted = min(limit ?? 1, Self.largestCount)
    }

    /// Adds the key of a row. Returns whether the rows must be visited now.
    mutating func add(_ key: UnsafeRawBufferPointer) -> Bool {
        assert(keys.count < wanted, "full rows are visited before more are added")
        keys.append(key)
        return keys.count == wanted
    }

    /// Finds the rows in `table` and visits them in the order in which they were added, until a visitor returns false.
    /// Afterwards there are none.
    mutating func visit(
        in table: inout RowTable, _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Bool {
        defer {
            keys.removeAll(keepingCapacity: true)
            values.removeAll(keepingCapacity: true)
        }
        try table.find(keys, appendingTo: &values)
        limit -= keys.count
        wanted = max(1, min(2 * wanted, Self.largestCount, limit))
        // An iterator would allocate for each row in a build without optimization.
        var index = 0
        while index < keys.count {
            guard try body(keys[index], values[index]) else { return false }
            index += 1
        }
        return true
    }
}
