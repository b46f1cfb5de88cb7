internal import Tidelog
internal import TidelogJSON
internal import TidelogRecordText

/// Drops events that no consumer needs any more.
struct CompactCommand: Command {
    static let syntax = CommandSyntax(
        name: "compact", summary: "drop events that later ones have superseded",
        discussion: """
            Records stay as they are, and so does what is yet to be uploaded. Room inside the log is used again;
            --shrink gives it back to the disk.
            """,
        options: Option.forStore + [
            Option(
                name: "retain", value: "all|latest", help: "the events to keep: all, or only the needed ones (latest)"
            ),
            Option(name: "shrink", help: "copy the remaining events into a smaller file"),
        ],
        examples: [
            .init("Drop superseded events", "compact --store ./world"),
            .init("And give the room back", "compact --store ./world --retain latest --shrink"),
        ])

    private let access: StoreAccess
    private let retention: Retention
    private let shrinks: Bool

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        retention = try arguments.choice("retain", ["all": .all, "latest": .latest]) ?? .latest
        shrinks = arguments.has("shrink")
    }

    func run(_ console: Console) async throws -> ExitStatus {
        let store = try access.openForWriting(console: console)
        let report = try await store.closing { store in
            try await ProgressBar.Shared.showing("Compacting", on: console) { progress in
                try await store.compact(retain: retention, shrink: shrinks) { progress.update($0) }
            }
        }
        if console.isJSON {
            try console.output.writeObject { writer in
                writer.member("dropped", report.droppedCount)
                writer.member("floor", report.floor.value)
                writer.member("bytesBefore", report.byteCountBefore)
                writer.member("bytesAfter", report.byteCountAfter)
            }
        } else {
            console.success(
                "Dropped \(counted(report.droppedCount, "event")); the log takes "
                    + "\(report.byteCountAfter.bytes), before \(report.byteCountBefore.bytes).")
            for name in report.lapsedConsumers {
                console.warn("the consumer \(name) fell too far behind: events that it has not read were dropped")
            }
        }
        return .done
    }
}
