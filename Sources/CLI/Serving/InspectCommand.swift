internal import Tidelog
internal import TidelogCore
internal import TidelogInspector
internal import TidelogJSON

/// Serves a page that shows a store to a person with a browser.
struct InspectCommand: Command {
    static let syntax = CommandSyntax(
        name: "inspect", summary: "look into a store with a browser: records, history, the log, the outbox",
        discussion: """
            The page shows the models, finds records by a predicate with the plan of the query, shows the history of
            a record as differences, and follows the log while another process writes the store. Set-aside changes
            can be retried and discarded if no other process has the store open for writing. All else only reads.
            Only this computer can open the page, and only by the printed address, which has a random token.
            With --json the first line says where the page is. SIGTERM and SIGINT stop it.
            """,
        options: Option.forStore + [
            Option(name: "port", value: "N", help: "the port; the system chooses one if it is left out")
        ],
        examples: [
            .init("Print the address of the page, and serve it until Ctrl-C", "inspect --store ./world"),
            .init("On a fixed port, for a tunnel of ssh", "inspect --store ./world --port 8080"),
            .init("For scripts", "inspect --store ./world --json"),
        ])

    private let access: StoreAccess
    private let port: Int

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        port = try arguments.number("port", in: 0...65_535) ?? 0
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let access = access
        let store = try access.openForReading()
        // A decision about a change is not interrupted.
        Interruption.deferToCommits()
        Interruption.installTermination()
        return try await store.closing { store in
            let inspected = InspectedStore(reading: store) { try access.openForDecision() }
            let inspector = try await StoreInspector.start(inspected, port: port)
            try announce(inspector, console)
            try await Blocking.run { Interruption.waitForRequest() }
            await inspector.stop()
            return .done
        }
    }

    private func announce(_ inspector: StoreInspector, _ console: Console) throws {
        if console.isJSON {
            try console.output.writeObject { writer in
                writer.member("ready", true)
                writer.member("inspector", inspector.address)
                writer.member("pid", System.processID)
            }
        } else {
            try console.output.write(
                """
                \(console.outputStyle.green("✓")) \(console.shown(access.path)) is shown at
                  \(inspector.address)
                  Ctrl-C stops it.

                """)
        }
        try console.output.flush()
    }
}

extension StoreAccess {
    /// Opens the store for a moment, to decide about a change. The store exists.
    fileprivate func openForDecision() throws -> DataStore {
        try DataStore(
            path: path, schema: nil, factory: factory(describe().adapter),
            configuration: DataStoreConfiguration(createsStore: false))
    }
}
