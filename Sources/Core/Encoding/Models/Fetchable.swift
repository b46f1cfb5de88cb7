/// What a query returns: a value of a ``Model``, or a dynamic ``Record``.
public protocol Fetchable: Sendable {
    /// Reads every field of a row, in declaration order.
    init(from row: inout RowDecoder) throws(RowDamage)
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
