@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
internal import TidelogRecordText

/// Shows how large a store is and how far its consumers are.
struct StatsCommand: Command {
    static let syntax = CommandSyntax(
        name: "stats", summary: "show how large a store is and how far its readers are",
        options: Option.forStore,
        examples: [
            .init("For people", "stats --store ./world"),
            .init("For scripts", "stats --store ./world --json"),
        ])

    private let access: StoreAccess

    init(_ arguments: Arguments) throws { access = try StoreAccess(arguments) }

    func run(_ console: Console) async throws -> ExitStatus {
        let description = try access.describe()
        let store = try access.openForReading()
        let models = try store.layout.models.map(\.name)
        let (checkpoint, counts) = try await store.read { snapshot in
            (try snapshot.sequence, try models.map { try snapshot.count(Record.all(of: $0)) })
        }
        try await store.close()
        let rows = Array(zip(models, counts))
        if console.isJSON {
            try writeJSON(description, at: checkpoint, rows: rows, console)
        } else {
            try writeText(description, at: checkpoint, rows: rows, console)
        }
        return .done
    }

    private func writeJSON(
        _ description: StoreDescription, at checkpoint: SequenceNumber, rows: [(String, Int)], _ console: Console
    ) throws {
        try console.output.writeObject { writer in
            writer.member("head", description.head.sequence.value)
            writer.member("floor", description.floor.sequence.value)
            writer.member("events", description.eventCount)
            writer.member("adapter", description.adapter)
            writer.member("durability", description.durability.name)
            writer.member("checkpoint", checkpoint.value)
            writer.object("models") { writer in
                for (name, count) in rows { writer.object(name) { $0.member("rows", count) } }
            }
            writer.object("consumers") { writer in
                for consumer in description.consumers {
                    writer.object(consumer.name) { writer in
                        writer.member("position", consumer.position.sequence.value)
                        writer.member("lag", consumer.lag)
                    }
                }
            }
            writer.member("bytes", description.byteCount)
        }
    }

    private func writeText(
        _ description: StoreDescription, at checkpoint: SequenceNumber, rows: [(String, Int)], _ console: Console
    ) throws {
        let style = console.outputStyle
        let head = description.head.sequence
        let behind = { (lag: UInt64) in lag > 0 ? ", \(lag.grouped) events late" : "" }
        let lag = head.value - min(head.value, checkpoint.value)
        var lines = [
            ("store", "\(console.shown(access.path)), \(description.byteCount.bytes)"),
            ("log", "\(counted(description.eventCount, "event")), head \(head), floor \(description.floor.sequence)"),
            ("rows", "\(description.adapter), at \(checkpoint)\(behind(lag))"),
            ("durability", description.durability.name),
            ("schema", "version \(description.schema.version)"),
        ]
        for consumer in description.consumers {
            lines.append(("consumer", "\(consumer.name), at \(consumer.position.sequence)\(behind(consumer.lag))"))
        }
        for (label, text) in lines { try console.output.write("\(style.bold(label.padded(to: 10)))  \(text)\n") }
        try console.output.write("\n")
        var table = Table([.init(title: "model"), .init(title: "rows", isRight: true)], on: console)
        for (name, count) in rows { try table.add([name, count.grouped]) }
        try table.finish()
    }
}
