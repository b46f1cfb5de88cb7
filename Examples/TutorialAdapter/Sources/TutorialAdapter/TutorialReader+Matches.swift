@_spi(Adapters) import Tidelog

extension TutorialReader {
    /// The rows that a query describes, in the order of the query. Its page is not applied yet.
    func matches(of query: StorageQuery) throws -> [Entry] {
        let table = contents.models[query.model.number] ?? SortedTable()
        let found = try table.entries(after: query.afterKey).filter { entry in
            try entry.withRow { row in try query.filter.evaluate(row.row) }
        }
        guard !query.sort.isEmpty else { return Array(found) }
        let ranked = try found.map { entry in
            (entry: entry, rank: try query.sort.map { try entry.sortKey(by: $0.field) })
        }
        return ranked.sorted { left, right in
            for (place, key) in query.sort.enumerated() {
                let (first, second) = key.isDescending ? (right, left) : (left, right)
                if first.rank[place] != second.rank[place] {
                    return first.rank[place].lexicographicallyPrecedes(second.rank[place])
                }
            }
            return left.entry.key.lexicographicallyPrecedes(right.entry.key)
        }.map(\.entry)
    }
}

extension Entry {
    /// Bytes in the order of the field's values: a missing value comes first, texts are in the order of their UTF-8, and −1
    /// comes before 0.
    fileprivate func sortKey(by field: FieldLayout) throws -> [UInt8] {
        try withRow { row in
            let byteCount = 16 + 2 * (try row.row.value(field.slot)?.count ?? 0)  // U+0000 takes two bytes.
            return try withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { buffer in
                var encoder = KeyEncoder(buffer)
                try encoder.appendComponent(of: row.row, field: field)
                return Array(encoder.bytes)
            }
        }
    }
}
