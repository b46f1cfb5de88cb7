internal import Tidelog

/// Shows one record.
struct GetCommand: Command {
    static let syntax = CommandSyntax(
        name: "get", summary: "show the record that has a key",
        operands: [
            Operand(name: "MODEL", help: "the model"),
            Operand(name: "KEY", help: "each field of the key, in schema order", isRepeated: true),
        ],
        options: Option.forStore + [.metadata],
        examples: [
            Example("A country", "get --store ./world Country JP"),
            Example("As JSON", "get --store ./world Country JP --json"),
        ])

    private let access: StoreAccess
    private let model: String
    private let key: [String]
    private let showsMetadata: Bool

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        model = try arguments.operand(0)
        key = Array(arguments.operands.dropFirst())
        showsMetadata = arguments.has("metadata")
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let store = try access.openForReading()
        let layout = try store.layout.model(called: model)
        let id = try layout.recordID(arguments: key)
        try await store.read { snapshot in
            let isFound = try snapshot.withRow(of: id, in: layout) { row in
                guard let row else { return false }
                try write(row, layout, showsMetadata ? snapshot : nil, console)
                return true
            }
            guard isFound else { throw CommandFailure.noRecord(of: layout, id) }
        }
        try console.output.flush()
        try await store.close()
        return .done
    }

    private func write(
        _ row: RowView, _ layout: ModelLayout, _ snapshot: StoreSnapshot?, _ console: Console
    ) throws {
        if console.isJSON {
            var output = RecordOutput(layout, metadataFrom: snapshot, on: console)
            try output.write(row)
            return try output.flush()
        }
        let width = layout.row.fields.map(\.name.count).max() ?? 0
        let style = console.outputStyle
        var lines: [(String, String)] = []
        for field in layout.row.fields {
            if let value = try FieldValue(row, field: field) { lines.append((field.name, value.text)) }
        }
        if let snapshot, let state = try snapshot.serverState(layout.name, id: layout.recordID(of: row)) {
            if let version = state.version { lines.append(("_version", String(version))) }
            lines.append(("_lastChangedAt", String(state.lastChangedAt)))
            lines.append(("_deleted", String(state.isDeleted)))
        }
        for (name, value) in lines {
            try console.output.write("\(style.bold(name.padded(to: width)))  \(value)\n")
        }
    }
}

extension CommandFailure {
    /// There is no record that has `id`.
    static func noRecord(of model: ModelLayout, _ id: RecordID) -> CommandFailure {
        CommandFailure(
            .recordNotFound, "notFound", "There is no \(model.name) with the key \(id.text).", model: model.name,
            id: id,
            recovery: "Look for it: `tidelog query --store DIR \(model.name) PREDICATE`.")
    }
}
