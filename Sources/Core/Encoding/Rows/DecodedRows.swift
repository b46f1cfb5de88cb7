/// The decoded rows of one model, with the values of each row in the order of the model's fields.
///
/// A value is found by the position of its field and not by its name, as in a ``Record``. All values share one array, so that a
/// page of rows needs no memory for each row.
package struct DecodedRows: Sendable {
    private let layout: ModelLayout
    /// The number of rows.
    package private(set) var count = 0
    private var values: [FieldValue?] = []
    private let fieldCount: Int

    /// No rows of the model with `layout`.
    package init(layout: ModelLayout) {
        self.layout = layout
        fieldCount = layout.row.fields.count
    }

    /// Decodes `row` and adds its values.
    package mutating func append(_ row: RowView) throws(RowDamage) {
        for field in layout.row.fields { values.append(try FieldValue(row, field: field)) }
        count += 1
    }

    /// Adds the rows of `other`, which has the same fields.
    package mutating func append(contentsOf other: DecodedRows) {
        precondition(
            layout === other.layout || layout.row.fields.map(\.name) == other.layout.row.fields.map(\.name),
            "rows that are joined have the same fields")
        values += other.values
        count += other.count
    }

    /// The fields of the model, in the order of their values.
    package var fields: [FieldSchema] { layout.row.fields.map(\.schema) }

    /// The position of the value of the field called `name`; `nil` if the model has no such field.
    package func position(of name: String) -> Int? { layout.row.field(named: name)?.ordinal }

    /// The value at the position `field` in the row at the position `row`, or `nil` if it is missing.
    @inline(__always)
    package subscript(row: Int, field: Int) -> FieldValue? {
        assert(row < count && field < fieldCount, "the value is in a row")
        return values[row * fieldCount + field]
    }

    /// The values of the row at the position `row`.
    package func values(at row: Int) -> ArraySlice<FieldValue?> {
        values[row * fieldCount..<(row + 1) * fieldCount]
    }

    /// The row at the position `row` as a record.
    package func record(at row: Int) -> Record {
        var record = Record(model: layout.name, values: [:])
        record.values.reserveCapacity(fieldCount)
        for field in layout.row.fields { record.values[field.name] = self[row, field.ordinal] }
        return record
    }

    /// All rows as records.
    package var records: [Record] { (0..<count).map { record(at: $0) } }
}
