@_spi(Adapters) internal import Tidelog
@_spi(Adapters) internal import TidelogRecordText

/// Shows the earlier states of a record, with their times.
struct HistoryCommand: Command {
    static let syntax = CommandSyntax(
        name: "history", summary: "show every event of a record with its values, the newest last",
        operands: [.model, .key],
        options: Option.forStore + [Option(name: "limit", value: "N", help: "at most the latest N events")],
        examples: [
            .init("The events of a record", "history --store ./world Country XX"),
            .init("With the whole record after each event", "history --store ./world Country XX --json"),
        ])

    private let access: StoreAccess
    private let model: String
    private let key: [String]
    private let limit: Int

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        model = try arguments.operand(0)
        key = Array(arguments.operands.dropFirst())
        limit = try arguments.number("limit", in: 0 ... .max) ?? .max
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let store = try access.openForReading()
        let layout = try store.layout.model(called: model)
        let id = try layout.recordID(fromTexts: key)
        let history = try await store.history(of: model, id: id, limit: limit)
        guard !history.events.isEmpty || limit == 0 else { throw CommandFailure.noRecord(of: layout, id) }
        var output = EventOutput(of: store, on: console)
        for event in history.events { try output.write(event) }
        try console.output.flush()
        if !history.isComplete, limit == .max { console.note("Earlier events were dropped by compaction.") }
        try await store.close()
        return .done
    }
}
