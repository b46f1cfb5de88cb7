/// Evaluating alternatives: sorted values of one field, each with the further conditions of its alternative.
extension RowPredicate {
    /// One value with which an alternative compares the field.
    struct Entry {
        /// The value: a number, the seconds of an instant, or the start of a text in the constants.
        let first: Int64
        /// The nanoseconds of an instant, or the length of a text.
        let second: Int64
        /// The node of the alternative's further conditions.
        let member: Int

        var textRange: Range<Int> { Int(first)..<Int(first + second) }
    }

    /// The ways in which a field's value is compared with entries.
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

    /// Whether one of the alternatives of `node` holds. Only the alternatives with the row's own value are evaluated.
    func evaluateAlternatives(_ node: Node, _ row: RowView, _ counter: inout some ComparisonCounter) throws(RowDamage)
        -> Bool
    {
        guard let bytes = try row.value(node.slot) else { return false }
        let entries = UnsafeBufferPointer(rebasing: entries.elements[node.constant])
        switch EntryKind(rawValue: UInt8(truncatingIfNeeded: node.int)) {
        case .text:
            return try search(entries, row, &counter, comparing: bytes.count) { entry in
                Int(ByteComparison.order(UnsafeRawBufferPointer(rebasing: constants.bytes[entry.textRange]), bytes))
            }
        case .int: return try search(entries, row, &counter, for: RowView.int(bytes), and: 0)
        case .double: return try search(entries, row, &counter, for: Double.decoded(from: bytes).entryWord, and: 0)
        case .bool: return try search(entries, row, &counter, for: Bool.decoded(from: bytes) ? 1 : 0, and: 0)
        case .instant:
            let instant = try RowView.instant(bytes)
            return try search(entries, row, &counter, for: instant.seconds, and: Int64(instant.nanoseconds))
        case nil: preconditionFailure("every node of alternatives has a kind")
        }
    }

    private func search(
        _ entries: UnsafeBufferPointer<Entry>, _ row: RowView, _ counter: inout some ComparisonCounter,
        for first: Int64, and second: Int64
    ) throws(RowDamage) -> Bool {
        try search(entries, row, &counter, comparing: 0) { entry in
            if entry.first != first { return entry.first < first ? -1 : 1 }
            return entry.second < second ? -1 : (entry.second == second ? 0 : 1)
        }
    }

    /// Whether the further conditions of an entry hold that `order` finds equal to the row's value, a text of `byteCount` bytes
    /// or another value.
    @inline(__always)
    private func search(
        _ entries: UnsafeBufferPointer<Entry>, _ row: RowView, _ counter: inout some ComparisonCounter,
        comparing byteCount: Int, by order: (Entry) -> Int
    ) throws(RowDamage) -> Bool {
        var (lower, upper) = (0, entries.count)
        while lower < upper {
            let middle = (lower + upper) / 2
            guard counter.admits(min(byteCount, Int(entries[middle].second))) else { return false }
            if order(entries[middle]) < 0 { lower = middle + 1 } else { upper = middle }
        }
        while lower < entries.count, order(entries[lower]) == 0 {
            if try evaluate(entries[lower].member, row, &counter) { return true }
            lower += 1
        }
        return false
    }
}
