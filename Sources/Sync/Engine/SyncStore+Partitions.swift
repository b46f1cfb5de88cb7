@_spi(Adapters) internal import TidelogCore

extension SyncStore {
    /// The partitions of an index of the model: the keys of the parents, and the values in the model's own rows, whose parents
    /// may be missing.
    package func partitions(of index: TimeIndex, _ model: String) async throws -> [String] {
        guard let parent = index.parent.flatMap({ models[$0] }), let key = parent.key.first else { return [] }
        assert(parent.key.count == 1, "one field names a parent that is a partition")
        return try await store.read { snapshot in
            var values = Set<String>()
            for (name, field) in [(parent.name, key), (model, index.partition)] {
                try snapshot.forEachRow(Record.all(of: name)) { row, layout in
                    if let field = layout.row.field(named: field), let value = try row.row.string(field.slot) {
                        values.insert(value)
                    }
                    return true
                }
            }
            return values.sorted()
        }
    }
}
