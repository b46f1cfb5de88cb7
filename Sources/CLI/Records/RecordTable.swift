@_spi(Adapters) internal import Tidelog

/// Records as an aligned table, a column for each field.
struct RecordTable {
    private let model: ModelLayout
    private let fields: [FieldLayout]
    private let console: Console
    private let snapshot: StoreSnapshot?
    private var table: Table

    init(
        _ model: ModelLayout, _ fields: [FieldLayout], metadataFrom snapshot: StoreSnapshot? = nil, on console: Console
    ) {
        self.model = model
        self.fields = fields
        self.console = console
        self.snapshot = snapshot
        // What only a server sets is empty until one does.
        var columns = fields.map { field in
            let isKey = model.schema.primaryKey.contains(field.name)
            return Table.Column(
                title: field.name, isRight: field.type.isNumber, isHiddenWhereEmpty: field.schema.isReadOnly,
                least: isKey ? Self.uuidCount : field.type.isShort ? .max : 8, isKept: isKey,
                isDispensable: field.type.isCompound)
        }
        if snapshot != nil {
            columns += ["_version", "_lastChangedAt", "_deleted"].map { Table.Column(title: $0, isRight: true) }
        }
        table = Table(columns, on: console)
    }

    mutating func add(_ row: RowView) throws {
        var cells = try fields.map { try FieldValue(row, field: $0)?.text ?? "" }
        if let snapshot {
            let state = try snapshot.serverState(model.name, id: model.recordID(of: row))
            cells += [
                state?.version.map { String($0) } ?? "", state.map { String($0.lastChangedAt) } ?? "",
                state.map { String($0.isDeleted) } ?? "",
            ]
        }
        try table.add(cells)
    }

    /// Ends the table, and says which fields it does not show.
    mutating func finish() throws {
        try table.finish()
        guard !table.leftOut.isEmpty else { return }
        let text = "not shown, since the terminal is too narrow: \(table.leftOut.joined(separator: ", "))"
        try console.output.write(
            console.outputStyle.dim("\(text) (choose by --fields a,b, or see all by --vertical)") + "\n")
    }

    /// How many characters a UUID has: a key of that length can be copied.
    private static let uuidCount = 36
}

extension FieldType {
    /// Whether its values are of no use if they are cut, and short.
    fileprivate var isShort: Bool {
        switch self {
        case .bool, .date, .time, .dateTime: true
        default: false
        }
    }

    /// Whether its values are made of several.
    fileprivate var isCompound: Bool {
        switch self {
        case .list, .embedded: true
        default: false
        }
    }
}
