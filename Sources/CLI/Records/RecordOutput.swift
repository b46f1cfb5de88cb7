@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
@_spi(Adapters) internal import TidelogRecordJSON
internal import TidelogRecordText

/// The forms in which commands write records.
enum RecordOutput {
    /// Writes rows of one model as lines of JSON.
    struct JSONLines {
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

    /// Writes records with one field per line, and an empty line between two records.
    struct FieldLines {
        private let model: ModelLayout
        private let fields: [FieldLayout]
        private let snapshot: StoreSnapshot?
        private let console: Console
        private let width: Int
        private var isFirst = true

        /// - Parameter snapshot: If it is given, the server state of each record is read from it and shown too.
        init(
            _ model: ModelLayout, _ fields: [FieldLayout], metadataFrom snapshot: StoreSnapshot? = nil,
            on console: Console
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

    /// Writes records as an aligned table with a column for each field.
    struct Columns {
        private let model: ModelLayout
        private let fields: [FieldLayout]
        private let console: Console
        private let snapshot: StoreSnapshot?
        private var table: Table

        init(
            _ model: ModelLayout, _ fields: [FieldLayout], metadataFrom snapshot: StoreSnapshot? = nil,
            on console: Console
        ) {
            self.model = model
            self.fields = fields
            self.console = console
            self.snapshot = snapshot
            // Fields that only a server sets are empty until a server sets them.
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

        /// Ends the table, and names the fields that it does not show.
        mutating func finish() throws {
            try table.finish()
            guard !table.leftOut.isEmpty else { return }
            let text = "not shown, since the terminal is too narrow: \(table.leftOut.joined(separator: ", "))"
            try console.output.write(
                console.outputStyle.dim("\(text) (choose by --fields a,b, or see all by --vertical)") + "\n")
        }

        /// The number of characters of a UUID. A key of that length is shown whole, so that a user can copy it.
        private static let uuidCount = 36
    }
}

extension FieldType {
    /// Whether the values are short and useless when cut.
    fileprivate var isShort: Bool {
        switch self {
        case .bool, .date, .time, .dateTime: true
        default: false
        }
    }

    /// Whether the values consist of several values.
    fileprivate var isCompound: Bool {
        switch self {
        case .list, .embedded: true
        default: false
        }
    }
}
