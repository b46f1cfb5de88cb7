internal import Tidelog
internal import TidelogJSON

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

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
            Example("The same rows once more", "rebuild --store ./world"),
            Example("From LMDB to SQLite", "rebuild --store ./world --adapter sqlite"),
        ])

    private let path: String
    private let adapter: Adapter?

    init(_ arguments: Arguments) throws {
        let access = try StoreAccess(arguments)
        (path, adapter) = (access.path, access.adapter)
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let access = StoreAccess(path: path)
        let description = try access.describe()
        let factory = try adapter?.factory ?? access.factory(description.adapter)
        let progress = SharedProgress("Making rows with \(factory.name)", on: console)
        let start = ContinuousClock.now
        do {
            try await DataStore.rebuild(at: URL(filePath: path), adapter: factory) { progress.update($0) }
        } catch {
            progress.leave()
            throw error
        }
        progress.leave()
        let time = ContinuousClock.now - start
        if console.isJSON {
            try console.output.writeObject { writer in
                writer.member("adapter", factory.name)
                writer.member("events", description.eventCount)
            }
        } else {
            let rate = (Double(description.eventCount) / max(time.seconds, 1e-9)).fixed(0)
            console.note(
                "\(console.messageStyle.green("✓")) Rows of \(console.shownInMessage(path)) made with \(factory.name) from "
                    + "\(counted(description.eventCount, "event")) in \(time.short) (\(rate)/s)")
        }
        return .done
    }
}
