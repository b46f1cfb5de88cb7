internal import TidelogLMDB

/// The table whose rows an index names.
struct RowTable {
    private let transaction: Transaction
    private let keyspace: Keyspace
    private let name: String
    private lazy var leaves = transaction.leafSearch(ofKeyspaceNamed: name)

    init(_ transaction: Transaction, _ keyspace: Keyspace, named name: String) {
        self.transaction = transaction
        self.keyspace = keyspace
        self.name = name
    }

    /// Appends the rows that an index names to `rows`.
    mutating func find(_ keys: [UnsafeRawBufferPointer], appendingTo rows: inout [UnsafeRawBufferPointer]) throws {
        if keys.count > 1 { leaves?.find(keys) }
        // An iterator would allocate for each key in a build without optimization.
        var index = 0
        while index < keys.count {
            let found = keys.count > 1 ? leaves?.value(of: keys[index], at: index) : nil
            let row = try found ?? row(keys[index])
            assert(found == nil || row.isSame(as: try? self.row(keys[index])), "LMDB finds the row at the same place")
            if keys.count > 1 { row.prefetch() }
            rows.append(row)
            index += 1
        }
    }

    /// The row of `key`, which an index names.
    func row(_ key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer {
        guard let value = try transaction.get(keyspace, key) else { throw damaged("an index names a missing row") }
        return value
    }
}

extension UnsafeRawBufferPointer {
    /// Whether these are the same bytes at the same place.
    fileprivate func isSame(as other: UnsafeRawBufferPointer?) -> Bool {
        baseAddress == other?.baseAddress && count == other?.count
    }
}
