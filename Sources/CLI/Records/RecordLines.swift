@_spi(Adapters) internal import Tidelog

/// Writes records with one field per line, and an empty line between two records.
struct RecordLines {
    private let model: ModelLayout
    private let fields: [FieldLayout]
    private let snapshot: StoreSnapshot?
    private let console: Console
    private let width: Int
    private var isFirst = true

    /// - Parameter snapshot: If it is given, the server state of each record is read from it and shown too.
    init(
        _ model: ModelLayout, _ fields: [FieldLayout], metadataFrom snapshot: StoreSnapshot? = nil, on console: Console
    ) {
        self.model = model
        self.fields = fields
        self.snapshot = snapshot
        self.console = console
        width = fields.map(\.name.count).max() ?? 0
    }

    /// Writes the fields of `row` that have a value.
    mutating func add(_ row: RowView) throws {
        if !isFirst { try console.output.write("\n") }
        isFirst = false
        for field in fields {
            if let value = try FieldValue(row, field: field) { try write(field.name, value.text) }
        }
        guard let snapshot, let state = try snapshot.serverState(model.name, id: model.recordID(of: row)) else {
            return
        }
        if let version = state.version { try write("_version", String(version)) }
        try write("_lastChangedAt", String(state.lastChangedAt))
        try write("_deleted", String(state.isDeleted))
    }

    private func write(_ name: String, _ value: String) throws {
        try console.output.write("\(console.outputStyle.bold(name.padded(to: width)))  \(console.shown(value))\n")
    }
}
