@_spi(Adapters) internal import Tidelog
@_spi(Adapters) internal import TidelogRecordText

/// Shows one record.
struct GetCommand: Command {
    static let syntax = CommandSyntax(
        name: "get", summary: "show the record that has a key",
        operands: [.model, .key],
        options: Option.forStore + [.fields, .metadata],
        examples: [
            .init("A country", "get --store ./world Country JP"),
            .init("Two fields", "get --store ./world Country JP --fields name,capital"),
            .init("As JSON", "get --store ./world Country JP --json"),
        ])

    private let access: StoreAccess
    private let model: String
    private let key: [String]
    private let choice: FieldChoice
    private let showsMetadata: Bool

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        model = try arguments.operand(0)
        key = Array(arguments.operands.dropFirst())
        choice = try FieldChoice(arguments)
        showsMetadata = arguments.has("metadata")
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let store = try access.openForReading()
        let layout = try store.layout.model(called: model)
        let fields = try choice.fields(of: layout)
        let id = try layout.recordID(fromTexts: key)
        try await store.read { snapshot in
            let isFound = try snapshot.withRow(of: id, in: layout) { row in
                guard let row else { return false }
                let snapshot = showsMetadata ? snapshot : nil
                if console.isJSON {
                    var output = RecordOutput.JSONLines(layout, fields, metadataFrom: snapshot, on: console)
                    try output.write(row)
                    try output.flush()
                } else {
                    var lines = RecordOutput.FieldLines(layout, fields, metadataFrom: snapshot, on: console)
                    try lines.add(row)
                }
                return true
            }
            guard isFound else { throw CommandFailure.noRecord(of: layout, id) }
        }
        try console.output.flush()
        try await store.close()
        return .done
    }
}

extension CommandFailure {
    /// The failure that says that no record has `id`.
    static func noRecord(of model: ModelLayout, _ id: RecordID) -> CommandFailure {
        CommandFailure(
            .recordNotFound, "notFound", "There is no \(model.name) with the key \(id.text).", model: model.name,
            id: id,
            recovery: "Look for it: `tidelog query --store DIR \(model.name) PREDICATE`.")
    }
}
