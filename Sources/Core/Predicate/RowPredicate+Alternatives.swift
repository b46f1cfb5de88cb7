/// Values of one field, sorted, each with what an alternative asks besides.
extension RowPredicate {
    /// One value that an alternative asks for.
    struct Entry {
        /// The value: a number, the seconds of an instant, or where a text begins among the constants.
        let first: Int64
        /// The nanoseconds of an instant, or how long a text is.
        let second: Int64
        /// The node of what is asked besides.
        let member: Int

        var textRange: Range<Int> { Int(first)..<Int(first + second) }
    }

    /// How a field's value is compared with entries.
    enum EntryKind: UInt8 {
        case text, int, double, bool, instant

        init(_ kind: FieldLayout.Kind) {
            switch kind {
            case .id, .string, .enumeration: self = .text
            case .int, .timestamp: self = .int
            case .double: self = .double
            case .bool: self = .bool
            case .date, .time, .dateTime: self = .instant
            case .embedded, .list: preconditionFailure("alternatives are values with an order")
            }
        }
    }

    /// Whether one of the alternatives of `node` holds: those that ask for the row's own value are looked at.
    func evaluateAlternatives(_ node: Node, _ row: RowView, _ counter: inout some ComparisonCounter) throws(RowDamage)
        -> Bool
    {
        guard let bytes = try row.value(node.slot) else { return false }
        let entries = UnsafeBufferPointer(rebasing: entries[node.constant])
        switch EntryKind(rawValue: UInt8(truncatingIfNeeded: node.int)) {
        case .text:
            return try search(entries, row, &counter) { entry in
                Int(ByteComparison.order(UnsafeRawBufferPointer(rebasing: constants[entry.textRange]), bytes))
            }
        case .int: return try search(entries, row, &counter, for: RowView.int(bytes), 0)
        case .double: return try search(entries, row, &counter, for: RowView.double(bytes).entryWord, 0)
        case .bool: return try search(entries, row, &counter, for: RowView.bool(bytes) ? 1 : 0, 0)
        case .instant:
            let instant = try RowView.instant(bytes)
            return try search(entries, row, &counter, for: instant.seconds, Int64(instant.nanoseconds))
        case nil: preconditionFailure("every node of alternatives has a kind")
        }
    }

    private func search(
        _ entries: UnsafeBufferPointer<Entry>, _ row: RowView, _ counter: inout some ComparisonCounter,
        for first: Int64, _ second: Int64
    ) throws(RowDamage) -> Bool {
        try search(entries, row, &counter) { entry in
            if entry.first != first { return entry.first < first ? -1 : 1 }
            return entry.second < second ? -1 : (entry.second == second ? 0 : 1)
        }
    }

    /// Whether what one of the entries asks besides holds, of those that `order` says are equal to the row's value.
    @inline(__always)
    private func search(
        _ entries: UnsafeBufferPointer<Entry>, _ row: RowView, _ counter: inout some ComparisonCounter,
        _ order: (Entry) -> Int
    ) throws(RowDamage) -> Bool {
        var (lower, upper) = (0, entries.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            counter.count()
            if order(entries[middle]) < 0 { lower = middle + 1 } else { upper = middle }
        }
        while lower < entries.count, order(entries[lower]) == 0 {
            if try evaluate(entries[lower].member, row, &counter) { return true }
            lower += 1
        }
        return false
    }
}

/// Told of each comparison that evaluating a predicate takes.
protocol ComparisonCounter {
    mutating func count()
}

/// Counts nothing, and costs nothing.
struct Uncounted: ComparisonCounter {
    @inline(__always)
    mutating func count() {}
}

struct CountedComparisons: ComparisonCounter {
    private(set) var total = 0

    mutating func count() { total += 1 }
}
