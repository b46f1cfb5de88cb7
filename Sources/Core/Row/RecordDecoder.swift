/// Makes the records of many rows of one model.
///
/// Most rows of a model have values in the same fields. The record of such a row is a copy of a shape that has these fields
/// already. Its values are put where they belong, so that no name is looked for.
package struct RecordDecoder {
    /// So many rows more may differ from the rows before them until the decoder makes no shapes any more.
    private static let patience = 8

    private let layout: ModelLayout
    /// The fields of a former row, with values that mean nothing.
    private var shape: [String: FieldValue] = [:]
    /// Where the value of each field is in `shape`; `nil` for a field that it lacks.
    private var places: [Dictionary<String, FieldValue>.Index?] = []
    private var patience = Self.patience

    /// A decoder of rows of `layout`.
    package init(layout: ModelLayout) { self.layout = layout }

    /// The record whose encoding `row` is.
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

    /// The values of `row`; `nil` if it has values in other fields than the shape.
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
