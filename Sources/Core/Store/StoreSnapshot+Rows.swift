extension StoreSnapshot {
    /// Calls `body` with the stored row of the record that has `id`, `nil` if there is none. The row is valid inside
    /// `body`.
    package func withRow<Result>(
        of id: RecordID, in model: ModelLayout, _ body: (RowView?) throws -> Result
    ) throws -> Result {
        try model.withKey(of: id) { key in try body(reader.get(key, in: model)?.row) }
    }
}
