internal import TidelogLMDB

/// The table whose rows an index names.
struct RowTable {
    private let transaction: Transaction
    private let keyspace: Keyspace
    private let name: String
    private lazy var leaves = transaction.leafPrefetch(ofKeyspaceNamed: name)

    init(_ transaction: Transaction, _ keyspace: Keyspace, named name: String) {
        self.transaction = transaction
        self.keyspace = keyspace
        self.name = name
    }

    /// Asks the processor for the leaves of several rows.
    mutating func prefetch(_ keys: [UnsafeRawBufferPointer]) { leaves?.prefetch(keys) }

    /// The row that an index names.
    func value(_ key: UnsafeRawBufferPointer) throws -> UnsafeRawBufferPointer {
        guard let value = try transaction.get(keyspace, key) else { throw damaged("an index names a missing row") }
        return value
    }
}
