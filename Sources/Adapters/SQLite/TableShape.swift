@_spi(Adapters) internal import TidelogCore

/// The columns of one model's table on one connection, and the statements that read and write its rows.
///
/// Like its connection, it is used by one thread at a time.
final class TableShape {
    /// The kinds of statements for single rows.
    enum RowStatement {
        case get
        /// Inserts the row, or replaces all its columns if its key exists.
        case put
        /// Replaces all columns of an existing row.
        case update
        /// Replaces the columns that are in no index.
        case updateUnindexed
        case delete
    }

    let model: ModelLayout
    let table: String
    /// The columns of the model's fields, by slot.
    let columns: [Column]
    /// The same columns, with only the data that reading and writing a row needs.
    let places: ContiguousArray<Column.Place>
    /// Assembles the rows that statements select.
    let assembler: RowAssembler
    /// The columns of fields that the schema no longer has.
    let droppedColumns: [String]
    /// The number of instants of a row that have columns of their own.
    let instantCount: Int
    private let indexBySlot: [Int]

    private var kept: [RowStatement: Statement] = [:]

    /// The shape of the table called `table` for `model`. `existing` are the table's columns.
    init(model: ModelLayout, table: String, existing: Set<String>) {
        self.model = model
        assembler = RowAssembler(model.row)
        self.table = table
        let indexed = Set(model.indexes.flatMap { $0.fields.map(\.slot) })
        var remaining = existing.subtracting([ObjectNames.key, ObjectNames.sequence])
        func take(_ plain: String, _ number: Int) -> String? {
            let alternative = ObjectNames.alternative(plain, number)
            return remaining.remove(alternative) ?? remaining.remove(plain)
        }
        // The alternative name comes first: if this field has one, the plain name belongs to another field.
        var parameter: Int32 = 3
        columns = model.row.fields.sorted { $0.slot < $1.slot }.map { field in
            let column = Column(
                field: field, name: take(field.name, field.slot + 1),
                instantName: Column.hasInstant(field) ? take(field.name + "_instant", field.slot + 1) : nil,
                parameter: parameter, isIndexed: indexed.contains(field.slot))
            parameter += Column.hasInstant(field) ? 2 : 1
            return column
        }
        places = ContiguousArray(
            columns.map { column in
                Column.Place(
                    slot: column.field.slot, storage: column.storage, parameter: column.parameter,
                    isStored: column.name != nil, isIndexed: column.isIndexed)
            })
        droppedColumns = remaining.sorted()
        instantCount = columns.count { Column.hasInstant($0.field) }
        var indexBySlot = Array(repeating: 0, count: model.row.slotCount)
        for (index, column) in columns.enumerated() { indexBySlot[column.field.slot] = index }
        self.indexBySlot = indexBySlot
    }

    /// The column of `field`, which must be a field of the model.
    func column(of field: FieldLayout) -> Column { columns[indexBySlot[field.slot]] }

    /// The statement that does `kind` to one row. It is prepared once.
    @inline(__always)
    func statement(_ kind: RowStatement, on connection: Connection) throws -> Statement {
        if let statement = kept[kind] { return statement }
        let statement = try connection.prepare(.row(kind, of: self))
        kept[kind] = statement
        return statement
    }
}
