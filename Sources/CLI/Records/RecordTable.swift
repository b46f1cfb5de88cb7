internal import Tidelog

/// Records as an aligned table, a column for each field.
struct RecordTable {
    private let model: ModelLayout
    private let snapshot: StoreSnapshot?
    private var table: Table

    init(_ model: ModelLayout, metadataFrom snapshot: StoreSnapshot? = nil, on console: Console) {
        self.model = model
        self.snapshot = snapshot
        // What only a server sets is empty until one does.
        var columns = model.row.fields.map { field in
            Table.Column(
                title: field.name, isRight: field.type.isNumber, isHiddenWhereEmpty: field.schema.isReadOnly)
        }
        if snapshot != nil {
            columns += ["_version", "_lastChangedAt", "_deleted"].map { Table.Column(title: $0, isRight: true) }
        }
        table = Table(columns, on: console)
    }

    mutating func add(_ row: RowView) throws {
        var cells = try model.row.fields.map { try FieldValue(row, field: $0)?.text ?? "" }
        if let snapshot {
            let state = try snapshot.serverState(model.name, id: model.recordID(of: row))
            cells += [
                state?.version.map { String($0) } ?? "", state.map { String($0.lastChangedAt) } ?? "",
                state.map { String($0.isDeleted) } ?? "",
            ]
        }
        try table.add(cells)
    }

    mutating func finish() throws { try table.finish() }
}
