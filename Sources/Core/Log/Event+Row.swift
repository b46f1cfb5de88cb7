extension Event {
    /// Calls `body` with the row that the event leaves, and with the layout of the model in the event's schema version.
    ///
    /// - Returns: The result of `body`, or `nil` if the event leaves no row.
    /// - Throws: ``RowDamage`` if the row cannot be decoded, or an error of `body`.
    package func withRow<Result>(_ body: (RowView, ModelLayout) throws -> Result) throws -> Result? {
        guard let layout else { return nil }
        return try bytes.withUnsafeBytes { bytes in
            guard let row = try EventView(bytes).row else { return nil }
            return try body(RowView(row), layout)
        }
    }
}
