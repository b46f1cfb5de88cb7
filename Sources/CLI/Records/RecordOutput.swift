@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON

/// Writes rows of one model as lines of JSON.
struct RecordOutput {
    private let console: Console
    private let rows: RowJSONWriter
    private let snapshot: StoreSnapshot?
    private var writer = JSONWriter()

    /// - Parameter snapshot: If it is given, the server state of each record is read from it and written too.
    init(
        _ model: ModelLayout, _ fields: [FieldLayout]? = nil, metadataFrom snapshot: StoreSnapshot? = nil,
        on console: Console
    ) {
        self.console = console
        self.snapshot = snapshot
        rows = fields.map { RowJSONWriter(layout: model, fields: $0.map(\.name)) } ?? RowJSONWriter(layout: model)
    }

    mutating func write(_ row: RowView) throws {
        var state: ServerState?
        if let snapshot {
            let model = rows.layout
            state = try snapshot.serverState(model.name, id: model.recordID(of: row))
        }
        try rows.write(row, metadata: state, to: &writer)
        writer.endLine()
        if writer.bytes.count >= 1 << 15 { try flush() }
    }

    mutating func flush() throws { try writer.flush { try console.output.writeJSON($0) } }
}
