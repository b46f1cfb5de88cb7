internal import TidelogSynchronization

/// A handle with which values from a store find their related records, without keeping the store open.
///
/// Values may live as long as an app likes, and a store must still close when it is released.
final class StoreHandle: Sendable {
    /// The functions that read the store.
    struct Reading: Sendable {
        /// The layouts of all models.
        let layout: @Sendable () throws -> SchemaLayout
        /// Calls `body` with one consistent view of the rows.
        let read: @Sendable (_ body: (RelatedReader) throws -> Void) throws -> Void
    }

    private let reading = Mutex<Reading?>(nil)

    /// Connects the handle to the store that `reading` reads.
    ///
    /// `reading` must not keep the store open. It throws `closed` after the store was released.
    func attach(_ reading: Reading) { self.reading.withLock { $0 = reading } }

    private var attached: Reading {
        get throws {
            guard let reading = reading.withLock({ $0 }) else { throw DataStoreError.closed }
            return reading
        }
    }

    /// The layouts of all models.
    ///
    /// - Throws: ``DataStoreError`` with code `closed` after the store was released.
    var layout: SchemaLayout { get throws { try attached.layout() } }

    /// Calls `body` with one consistent view of the rows.
    ///
    /// - Throws: ``DataStoreError``: `closed` after the store was released, `projectionUnavailable`; and any error of `body`.
    func read<Result>(_ body: (RelatedReader) throws -> Result) throws -> Result {
        var result: Result?
        try attached.read { result = try body($0) }
        guard let result else { preconditionFailure("a store that is read calls the closure or throws") }
        return result
    }
}

extension Fetchable {
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

    /// Appends the value that `row` encodes to `values`. The row was read from `store`.
    @inline(__always)
    static func append(
        _ row: RowView, _ layout: ModelLayout, store: StoreHandle?, to values: inout [Self]
    ) throws(RowDamage) {
        var decoder = RowDecoder(row, borrowing: layout.row, source: store)
        try append(from: &decoder, to: &values)
    }
}

extension RowDecoder {
    /// A relation of the record that is not loaded yet. It refers to the store from which the row was read. Reads no field.
    public func lazyRelation<Target: Model>() -> LazyRelation<Target> { LazyRelation(from: self) }
}
