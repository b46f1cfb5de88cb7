extension Event {
    /// Calls `body` with the row that the event leaves and the model's layout as of the event; `nil` if it leaves none.
    ///
    /// - Throws: ``RowDamage`` if the row does not decode, and what `body` throws.
    package func withRow<Result>(_ body: (RowView, ModelLayout) throws -> Result) throws -> Result? {
        guard let layout else { return nil }
        return try bytes.withUnsafeBytes { bytes in
            guard let row = try EventView(bytes).row else { return nil }
            return try body(RowView(row), layout)
        }
    }
}
