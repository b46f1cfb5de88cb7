@_spi(Adapters) internal import TidelogCore
internal import TidelogPlatform

/// Reading rows, for snapshots and transactions.
protocol InMemoryReader: AdapterReader {
    var rows: OrderedTables { get }
    /// The entry whose memory the caller may still read.
    var lent: TableEntry? { get set }
}

extension InMemoryReader {
    func checkpoint() -> Checkpoint? { rows.checkpoint }

    func get(_ key: UnsafeRawBufferPointer, in model: ModelLayout) throws -> StoredRow? {
        lent = rows[model].entry(key)
        return try lent?.row()
    }

    func fetch(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws {
        var window = PageWindow(query.page)
        guard window.hasRoom else { return }
        try matches(query) { row in
            guard window.admitsNext() else { return true }
            return try body(row) && window.hasRoom
        }
    }

    func count(_ query: StorageQuery) throws -> Int { try countByFetching(query) }

    func plan(_ query: StorageQuery) -> QueryPlan {
        QueryPlan(index: nil, summary: "table \(query.model.name)", sorts: !query.sort.isEmpty)
    }

    func auxiliaryValue(_ key: UnsafeRawBufferPointer, in table: AuxiliaryTable) -> UnsafeRawBufferPointer? {
        lent = rows[table].entry(key)
        return lent?.value
    }

    func auxiliaryEntries(
        after key: [UInt8]?, in table: AuxiliaryTable,
        _ body: (_ key: UnsafeRawBufferPointer, _ value: UnsafeRawBufferPointer) throws -> Bool
    ) throws {
        let entries = rows[table]
        try entries.forEach(after: key) { entry in try entry.value.map { try body(entry.key, $0) } ?? true }
    }

    /// The entries that match the query's filter, in its order. The caller applies the page.
    private func matches(_ query: StorageQuery, _ body: (StoredRow) throws -> Bool) throws {
        let table = rows[query.model]
        if query.sort.isEmpty {
            return try table.forEach(after: query.afterKey) { entry in
                guard let row = try entry.row(), try query.filter.evaluate(row.row) else { return true }
                return try body(row)
            }
        }
        // These rows are valid as long as `table` has the entries.
        var found: [(sortKey: [[UInt8]], row: StoredRow)] = []
        try table.forEach(after: nil) { entry in
            if let row = try entry.row(), try query.filter.evaluate(row.row) {
                found.append((try query.sort.map { try Self.component(of: row.row, field: $0.field) }, row))
            }
            return true
        }
        found.sort { left, right in
            for (index, key) in query.sort.enumerated() {
                let difference = order(left.sortKey[index], right.sortKey[index])
                if difference != 0 { return key.isDescending ? difference > 0 : difference < 0 }
            }
            return order(left.row.key, right.row.key) < 0
        }
        try withExtendedLifetime(table) {
            for match in found where try !body(match.row) { return }
        }
    }

    /// The bytes by which `row` is sorted by `field`.
    private static func component(of row: RowView, field: FieldLayout) throws -> [UInt8] {
        let byteCount = (try row.value(field.slot)?.count ?? 0) * 2 + 16  // U+0000 takes two bytes.
        return try withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { buffer in
            var encoder = KeyEncoder(buffer)
            try encoder.appendComponent(of: row, field: field)
            return Array(encoder.bytes)
        }
    }
}

/// Compares keys byte by byte: negative if `left` comes first, 0 if both are equal, otherwise positive.
private func order(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
    if let leftBase = left.baseAddress, let rightBase = right.baseAddress {
        let order = memcmp(leftBase, rightBase, min(left.count, right.count))
        if order != 0 { return Int(order) }
    }
    return left.count - right.count
}

private func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
    left.withUnsafeBytes { left in right.withUnsafeBytes { right in order(left, right) } }
}
