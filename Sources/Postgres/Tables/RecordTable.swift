@_spi(Adapters) internal import TidelogCore
internal import TidelogServer

/// The table of one model: a column for each field, and the encoded primary key.
final class RecordTable: Sendable {
    let model: ModelLayout
    /// The quoted name of the table, with its schema.
    let name: String
    /// The columns of the fields, by slot.
    let columns: [Column]
    private let columnBySlot: [Int: Int]

    /// The column of one field.
    struct Column: Sendable {
        let field: FieldLayout
        let storage: Storage
        /// The quoted name.
        let name: String
        /// The quoted name of the column with the instant of a temporal.
        let instant: String?
    }

    /// The types of columns.
    enum Storage: String, Sendable {
        case text = "text"
        case int = "bigint"
        case double = "double precision"
        case bool = "boolean"
        /// A text, with its instant in a separate column.
        case temporal = "text "
        /// A list or an embedded value.
        case json = "jsonb"

        init(_ kind: FieldLayout.Kind) {
            switch kind {
            case .id, .string, .enumeration: self = .text
            case .int, .timestamp: self = .int
            case .double: self = .double
            case .bool: self = .bool
            case .date, .time, .dateTime: self = .temporal
            case .embedded, .list: self = .json
            }
        }

        /// The type in the words of PostgreSQL's catalogue.
        var type: String { self == .temporal ? Storage.text.rawValue : rawValue }
    }

    init(_ model: ModelLayout) {
        self.model = model
        name = DatabaseNames.table(model.name)
        columns = model.row.fields.sorted { $0.slot < $1.slot }.map { field in
            let storage = Storage(field.kind)
            return Column(
                field: field, storage: storage, name: DatabaseNames.quoted(DatabaseNames.column(field.name)),
                instant: storage == .temporal ? DatabaseNames.quoted(DatabaseNames.instant(field.name)) : nil)
        }
        columnBySlot = Dictionary(uniqueKeysWithValues: columns.enumerated().map { ($1.field.slot, $0) })
    }

    func column(of field: FieldLayout) -> Column {
        guard let index = columnBySlot[field.slot] else { preconditionFailure("the field belongs to the model") }
        return columns[index]
    }

    /// An expression that sorts and compares like the values of the field.
    func comparable(_ field: FieldLayout) -> String {
        let column = column(of: field)
        return column.instant ?? column.name
    }

    /// The key and the fields by slot. A temporal's instant follows its text.
    var selection: String {
        "SELECT "
            + ([DatabaseNames.key] + columns.flatMap { [$0.name] + ($0.instant.map { [$0] } ?? []) })
            .joined(separator: ", ") + " FROM \(name)"
    }

    /// The names of the columns that are no fields.
    var ownColumns: [String] {
        ["~key"] + columns.filter { $0.instant != nil }.map { DatabaseNames.instant($0.field.name) }
    }
}
