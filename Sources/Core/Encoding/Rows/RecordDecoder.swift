/// Decodes the records of many rows of one model.
///
/// Most rows of a model have values in the same fields. The decoder therefore keeps a dictionary with these fields, called the
/// shape. For each row, it copies the shape and stores the values at their known places, without looking up names.
package struct RecordDecoder {
    /// How many more rows may differ from the shape than match it before the decoder stops using shapes.
    private static let patience = 8

    private let layout: ModelLayout
    /// The fields of an earlier row, with placeholder values.
    private var shape: [String: FieldValue] = [:]
    /// The place of each field's value in `shape`, or `nil` for a field that the shape does not have.
    private var places: [Dictionary<String, FieldValue>.Index?] = []
    private var patience = Self.patience

    /// A decoder of rows of `layout`.
    package init(layout: ModelLayout) { self.layout = layout }

    /// The record that `row` encodes.
    package mutating func record(_ row: RowView) throws(RowDamage) -> Record {
        guard patience > 0 else { return try Record(row, layout: layout) }
        if let values = try shapedValues(row) {
            patience = min(patience + 1, Self.patience)
            return Record(model: layout.name, values: values)
        }
        patience -= 1
        let record = try Record(row, layout: layout)
        shape = record.values.mapValues { _ in .bool(false) }
        places = layout.row.fields.map { shape.index(forKey: $0.name) }
        return record
    }

    /// The values of `row`, or `nil` if its fields with values differ from the shape.
    private func shapedValues(_ row: RowView) throws(RowDamage) -> [String: FieldValue]? {
        let fields = layout.row.fields
        guard places.count == fields.count else { return nil }
        var values = shape
        for index in fields.indices {
            let value = try FieldValue(row, field: fields[index])
            if let place = places[index] {
                guard let value else { return nil }
                values.values[place] = value
            } else if value != nil {
                return nil
            }
        }
        return values
    }
}
