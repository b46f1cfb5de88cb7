@_spi(Adapters) internal import TidelogCore

/// How one model's table looks on one connection, and the statements that read and write single rows of it.
///
/// Used by one thread at a time, like its connection.
final class TableShape {
    let model: ModelLayout
    let table: String
    /// The columns of the model's fields, by slot.
    let columns: [Column]
    /// The same, with only what reading and writing a row takes.
    let places: ContiguousArray<ColumnPlace>
    /// Makes the rows that statements select.
    let assembler: RowAssembler
    /// Columns of fields that the schema no longer has.
    let droppedColumns: [String]
    /// How many instants a row has beside their texts.
    let instantCount: Int
    private let indexBySlot: [Int]

    private var kept: [RowStatement: Statement] = [:]

    /// The shape of the table called `table`, whose columns are `existing`, for `model`.
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
        // Alternatives first: a plain name is another field's where this field has an alternative.
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
                ColumnPlace(
                    slot: column.field.slot, storage: column.storage, parameter: column.parameter,
                    isStored: column.name != nil, isIndexed: column.isIndexed)
            })
        droppedColumns = remaining.sorted()
        instantCount = columns.count { Column.hasInstant($0.field) }
        var indexBySlot = Array(repeating: 0, count: model.row.slotCount)
        for (index, column) in columns.enumerated() { indexBySlot[column.field.slot] = index }
        self.indexBySlot = indexBySlot
    }

    /// The column of `field`, which is one of the model's.
    func column(of field: FieldLayout) -> Column { columns[indexBySlot[field.slot]] }

    /// The statement that does `kind` to one row, prepared once.
    @inline(__always)
    func statement(_ kind: RowStatement, on connection: Connection) throws -> Statement {
        if let statement = kept[kind] { return statement }
        let statement = try connection.prepare(.row(kind, of: self))
        kept[kind] = statement
        return statement
    }
}

/// What is done to single rows.
enum RowStatement {
    case get
    /// Inserts the row, or replaces all its columns where its key exists.
    case put
    /// Replaces all columns of a row that exists.
    case update
    /// Replaces the columns that no index has.
    case updateUnindexed
    case delete
}

/// Where one field's value stands: copied without counting references.
struct ColumnPlace {
    let slot: Int
    let storage: Column.Storage
    let parameter: Int32
    let isStored: Bool
    let isIndexed: Bool
}

/// One field's column.
struct Column {
    let field: FieldLayout
    let storage: Storage
    /// The column's name, `nil` if this table does not have it yet: then every value is missing.
    let name: String?
    /// The name of the column of the field's instant, if there is one.
    let instantName: String?
    /// The number of the value's parameter; the instant's is the next one.
    let parameter: Int32
    let isIndexed: Bool

    /// How values stand in the file.
    enum Storage {
        case text, int, double, bool
        /// Text, and the instant in a column of its own.
        case temporal
        /// The instant and then the text in one blob.
        case packedTemporal
        case blob
    }

    init(field: FieldLayout, name: String?, instantName: String?, parameter: Int32, isIndexed: Bool) {
        self.field = field
        self.name = name
        self.instantName = instantName
        self.parameter = parameter
        self.isIndexed = isIndexed
        storage = Self.storage(of: field)
    }

    /// Fields up to this number have their instants in columns of their own; a table has at most 2,000 columns.
    private static let lastNumberWithInstant = 990

    static func storage(of field: FieldLayout) -> Storage {
        switch field.type {
        case .id, .string, .enumeration: .text
        case .int, .timestamp: .int
        case .double: .double
        case .bool: .bool
        case .date, .time, .dateTime: field.slot < lastNumberWithInstant ? .temporal : .packedTemporal
        case .embedded, .list: .blob
        }
    }

    static func hasInstant(_ field: FieldLayout) -> Bool { storage(of: field) == .temporal }
}
