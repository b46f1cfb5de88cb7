extension Model {
    /// The value that `row` encodes.
    package static func decoded(_ row: RowView, _ layout: ModelLayout) throws(RowDamage) -> Self {
        try decoded(row, layout, store: nil)
    }

    /// The value that `row` encodes. The row was read from `store`.
    ///
    /// This is a function because an initializer would take ownership of its arguments and move the value one more time.
    @inline(__always)
    static func decoded(_ row: RowView, _ layout: ModelLayout, store: StoreHandle?) throws(RowDamage) -> Self {
        var decoder = RowDecoder(row, borrowing: layout.row, source: store)
        return try Self(from: &decoder)
    }
}

extension RowDecoder {
    /// A relation of the record that is not loaded yet. It refers to the store from which the row was read. Reads no field.
    public func lazyRelation<Target: Model>() -> LazyRelation<Target> { LazyRelation(from: self) }
}
