/// What a query returns: a value of a ``Model``, or a dynamic ``Record``.
public protocol Fetchable: Sendable {
    /// Reads every field of a row, in declaration order.
    init(from row: inout RowDecoder) throws(RowDamage)

    /// Reads every field of a row, and appends the value to `values`.
    ///
    /// All types have this method already. Its code is compiled together with the type, so that a query that returns many
    /// values does not look up their size for each.
    static func append(from row: inout RowDecoder, to values: inout [Self]) throws(RowDamage)
}

extension Fetchable {
    /// Reads every field of a row, and appends the value to `values`.
    @inlinable
    public static func append(from row: inout RowDecoder, to values: inout [Self]) throws(RowDamage) {
        values.append(try Self(from: &row))
    }
}

extension Record: Fetchable {
    /// Reads every field of a row. The record's model is the model of the row.
    public init(from row: inout RowDecoder) throws(RowDamage) {
        let layout = row.plan.pointee.layout
        self.init(model: layout.name, values: [:])
        values.reserveCapacity(layout.fields.count)
        for field in layout.fields { values[field.name] = try FieldValue(row.view, field: field) }
    }
}
