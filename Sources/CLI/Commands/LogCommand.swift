@_spi(Adapters) internal import Tidelog

/// Shows the events of the log.
struct LogCommand: Command {
    static let syntax = CommandSyntax(
        name: "log", summary: "show the events of the log with their values, and new ones as they come",
        options: Option.forStore + [
            Option(name: "from", value: "N", help: "begin with event N (1)"),
            Option(name: "limit", value: "N", help: "at most N events"),
            Option(name: "model", value: "M", help: "only events of this model"),
            Option(name: "follow", help: "show new events as they come, also from other processes"),
        ],
        examples: [
            .init("The first ten events", "log --store ./world --limit 10"),
            .init("One model, whole records", "log --store ./world --model Country --limit 2 --json"),
            .init("Watch the events of a running writer", "log --store ./world --from 35000 --follow"),
        ])

    private let access: StoreAccess
    private let from: Int
    private let limit: Int
    private let model: String?
    private let follows: Bool

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        from = try arguments.number("from", in: 0 ... .max) ?? 1
        limit = try arguments.number("limit", in: 0 ... .max) ?? .max
        model = arguments.text("model")
        follows = arguments.has("follow")
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let store = try access.openForReading()
        if let model { _ = try store.layout.model(called: model) }
        let head = try store.head.sequence
        let start = SequenceNumber(UInt64(max(0, from - 1)))
        if limit > 0, follows || start < head {
            let events = follows ? store.events(after: start) : store.events(after: start, through: head)
            try await write(events, of: store, console)
        }
        try console.output.flush()
        try await store.close()
        return .done
    }

    private func write(_ events: EventStream, of store: DataStore, _ console: Console) async throws {
        var output = EventOutput(of: store, on: console)
        var count = 0
        for try await event in events {
            if model == nil || event.model == model {
                try output.write(event)
                if follows { try console.output.flush() }
                count += 1
            }
            if count == limit { return }
        }
    }
}
