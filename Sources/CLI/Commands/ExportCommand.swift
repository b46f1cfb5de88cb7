@_spi(Adapters) internal import Tidelog

/// Writes all records of a model.
struct ExportCommand: Command {
    static let syntax = CommandSyntax(
        name: "export", summary: "write all records of a model, a JSON object a line, by key",
        discussion: "Equal records give equal bytes, on every adapter.",
        operands: [.model],
        options: Option.forStore + [.metadata],
        examples: [
            .init("To a file", "export --store ./world City > all-cities.ndjson"),
            .init(
                "From one store into another", "export --store ./world City | tidelog import --store ./copy City -"),
        ])

    private let access: StoreAccess
    private let model: String
    private let showsMetadata: Bool

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        model = try arguments.operand(0)
        showsMetadata = arguments.has("metadata")
    }

    func run(_ console: Console) async throws -> ExitStatus {
        try await access.readRows(on: console) { snapshot in
            let layout = try snapshot.layout.model(called: model)
            var bar = ProgressBar("Exporting \(model)", unit: "record", on: console)
            defer { bar.leave() }
            let total = console.showsProgress ? max(1, try snapshot.count(Record.all(of: model))) : 1
            var output = RecordOutput.JSONLines(layout, metadataFrom: showsMetadata ? snapshot : nil, on: console)
            var count = 0
            try snapshot.forEachRow(Record.all(of: model)) { row, _ in
                try output.write(row.row)
                count += 1
                if count % 1_024 == 0 { bar.update(count, fraction: Double(count) / Double(total)) }
                return true
            }
            try output.flush()
            bar.finish(count)
            try console.output.flush()
        }
    }
}
