internal import Tidelog
internal import TidelogJSON
internal import TidelogRecordText

/// Recreates the rows from the log.
struct RebuildCommand: Command {
    static let syntax = CommandSyntax(
        name: "rebuild", summary: "recreate all rows from the log, in another adapter too",
        discussion:
            "From then on the store uses the named adapter. If the rebuild is killed, the store keeps its old rows.",
        options: [
            .store,
            Option(name: "adapter", value: "lmdb|sqlite", help: "the adapter for the new rows (the present one)"),
        ],
        examples: [
            .init("The same rows once more", "rebuild --store ./world"),
            .init("From LMDB to SQLite", "rebuild --store ./world --adapter sqlite"),
        ])

    private let access: StoreAccess
    /// The adapter for the new rows; `nil` for the present one.
    private let adapter: StoreAccess.Adapter?

    init(_ arguments: Arguments) throws {
        let named = try StoreAccess(arguments)
        access = StoreAccess(path: named.path)
        adapter = named.adapter
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let description = try access.describe()
        let factory = try adapter?.factory ?? access.factory(description.adapter)
        let start = ContinuousClock.now
        try await ProgressBar.Shared.showing("Making rows with \(factory.name)", on: console) { progress in
            try await StoreFiles.rebuild(at: access.url, adapter: factory) { progress.update($0) }
        }
        let time = ContinuousClock.now - start
        if console.isJSON {
            try console.output.writeObject { writer in
                writer.member("adapter", factory.name)
                writer.member("events", description.eventCount)
            }
        } else {
            let rate = (Double(description.eventCount) / max(time.seconds, 1e-9)).fixed(0)
            console.success(
                "Rows of \(console.shownInMessage(access.path)) made with \(factory.name) from "
                    + "\(counted(description.eventCount, "event")) in \(time.short) (\(rate)/s)")
        }
        return .done
    }
}
