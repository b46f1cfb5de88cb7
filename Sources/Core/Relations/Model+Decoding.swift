extension Model {
    /// The value whose encoding `row` is.
    package static func decoded(_ row: RowView, _ layout: ModelLayout) throws(RowDamage) -> Self {
        try decoded(row, layout, store: nil)
    }

    /// The value whose encoding `row` is, which was read from `store`.
    ///
    /// A function, since initializers own what they are given and move their value once more.
    @inline(__always)
    static func decoded(
        _ row: RowView, _ layout: ModelLayout, store: StoreHandle?
    ) throws(RowDamage) -> Self {
        var decoder = RowDecoder(row, borrowing: layout.row, source: store)
        return try Self(from: &decoder)
    }
}

extension RowDecoder {
    /// A relation of the record, not loaded yet, which remembers the store that the row was read from. Takes no field.
    public func lazyRelation<Target: Model>() -> LazyRelation<Target> { LazyRelation(from: self) }
}
