internal import TidelogLMDB

/// Rows that are found some at a time before they are read. Rows that follow each other in an index or in a table are at
/// different places in the file, so the processor waits for each of them. It waits less if several rows are asked for before
/// the first one is read.
struct FetchedRows {
    /// The largest number of rows that are found before the first of them is visited.
    private static let largestCount = 16

    private var rows: [(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer)] = []
    /// The number of rows to find before a visit. It grows, because a visitor often wants only the first rows.
    private var wanted = 1

    /// Adds a row. Returns whether the rows must be visited now.
    mutating func add(_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) -> Bool {
        assert(rows.count < wanted, "full rows are visited before more are added")
        rows.append((key, value))
        if wanted > 1 { value.prefetch() }
        return rows.count == wanted
    }

    /// Visits the rows in the order in which they were added, until a visitor returns false. Afterwards there are none.
    mutating func visit(
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) throws -> Bool
    ) throws -> Bool {
        defer { rows.removeAll(keepingCapacity: true) }
        wanted = min(2 * wanted, Self.largestCount)
        // An iterator would allocate for each row in a build without optimization.
        var index = 0
        while index < rows.count {
            guard try body(rows[index].key, rows[index].value) else { return false }
            index += 1
        }
        return true
    }
}
