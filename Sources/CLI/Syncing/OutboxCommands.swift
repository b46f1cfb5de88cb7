@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
internal import TidelogRecordText
internal import TidelogSync

/// The commands about the changes that no server has accepted yet.
enum OutboxCommands {
    /// Lists the changes that no server has accepted yet.
    struct List: Command {
        static let syntax = CommandSyntax(
            name: "outbox list", summary: "list the changes that no server has taken yet",
            discussion: """
                Changes come in the order in which they are sent. Those that the server refused for good come last: they are
                set aside until `outbox retry` or `outbox discard`, and hold up no other record.
                """,
            options: Option.forStore,
            examples: [
                .init("For people", "outbox list --store ./device"),
                .init("For scripts, a change a line", "outbox list --store ./device --json"),
            ])

        private let access: StoreAccess

        init(_ arguments: Arguments) throws { access = try StoreAccess(arguments) }

        func run(_ console: Console) async throws -> ExitStatus {
            let store = try access.openForReading()
            let entries = try await SyncOutbox(store).entries()
            try await store.close()
            if console.isJSON {
                for entry in entries { try write(entry, console) }
                return .done
            }
            guard !entries.isEmpty else {
                console.note("Nothing waits to be sent.")
                return .done
            }
            var table = Table(
                [
                    .init(title: "sequence", isRight: true), .init(title: "model"), .init(title: "id"),
                    .init(title: "operation"), .init(title: "state"), .init(title: "attempts", isRight: true),
                    .init(title: "reason"),
                ], on: console)
            for entry in entries {
                try table.add([
                    "\(entry.sequence)", entry.model, entry.id.text, entry.operation.rawValue, entry.state.text,
                    entry.attempts.grouped, entry.reason ?? "",
                ])
            }
            try table.finish()
            return .done
        }

        private func write(_ entry: OutboxEntry, _ console: Console) throws {
            try console.output.writeObject { writer in
                writer.member("sequence", entry.sequence.value)
                writer.member("model", entry.model)
                writer.key("id")
                writer.id(entry.id)
                writer.member("operation", entry.operation.rawValue)
                writer.member("state", entry.state.rawValue)
                writer.member("attempts", entry.attempts)
                writer.member("reason", orNull: entry.reason)
                writer.key("baseVersion")
                if let version = entry.baseVersion { writer.int(Int64(clamping: version)) } else { writer.null() }
            }
        }
    }

    /// Tries set-aside changes again.
    struct Retry: Command {
        static let syntax = CommandSyntax(
            name: "outbox retry", summary: "try changes again that the server refused",
            discussion: """
                The change becomes a new change of the record as it is now, and the next sync sends it.
                """,
            operands: Choice.operands, options: Choice.options,
            examples: [
                .init("One change", "outbox retry --store ./device 17"),
                .init("All of them", "outbox retry --store ./device --all"),
            ])

        private let choice: Choice

        init(_ arguments: Arguments) throws { choice = try Choice(arguments) }

        func run(_ console: Console) async throws -> ExitStatus {
            try await choice.decide("retried", console) { try await $0.retry($1) }
        }
    }

    /// Discards set-aside changes.
    struct Discard: Command {
        static let syntax = CommandSyntax(
            name: "outbox discard", summary: "give up changes that the server refused",
            discussion: """
                The record becomes what the server has. The change stays in the history of the record.
                """,
            operands: Choice.operands, options: Choice.options,
            examples: [
                .init("One change", "outbox discard --store ./device 17"),
                .init("All of them", "outbox discard --store ./device --all"),
            ])

        private let choice: Choice

        init(_ arguments: Arguments) throws { choice = try Choice(arguments) }

        func run(_ console: Console) async throws -> ExitStatus {
            try await choice.decide("discarded", console) { try await $0.discard($1) }
        }
    }

    /// The set-aside changes that a command applies to.
    private struct Choice: Sendable {
        static let operands: [CommandSyntax.Operand] = [
            .init(name: "SEQUENCE", help: "the number by which `outbox list` names the change", isOptional: true)
        ]
        static let options = Option.forStore + [Option(name: "all", help: "every change that was set aside")]

        private let access: StoreAccess
        /// The sequence number of the change; `nil` for all of them.
        private let sequence: SequenceNumber?

        init(_ arguments: Arguments) throws {
            access = try StoreAccess(arguments)
            switch (arguments.operands.first, arguments.has("all")) {
            case (nil, true): sequence = nil
            case (let text?, false):
                guard let number = UInt64(text) else { throw UsageError("SEQUENCE is a number, not \"\(text)\".") }
                sequence = SequenceNumber(number)
            case (nil, false): throw UsageError("SEQUENCE or --all is missing.")
            case (_?, true): throw UsageError("SEQUENCE and --all exclude each other.")
            }
        }

        /// Calls `decide` with each change, and prints how many changes there were.
        func decide(
            _ verb: String, _ console: Console,
            _ decide: (SyncOutbox, SequenceNumber) async throws -> Bool
        ) async throws -> ExitStatus {
            let store = try access.openForWriting(console: console)
            let count = try await store.closing { store in
                let outbox = try SyncOutbox(store)
                let all = try await outbox.entries().filter { $0.state == .setAside }.map(\.sequence)
                var count = 0
                for change in sequence.map({ [$0] }) ?? all where try await decide(outbox, change) { count += 1 }
                return count
            }
            if let sequence, count == 0 {
                throw CommandFailure(
                    .recordNotFound, "notFound", "No change was set aside under the number \(sequence).",
                    recovery: "See `tidelog outbox list --store \(access.path)`.")
            }
            if console.isJSON {
                try console.output.writeObject { $0.member(verb, count) }
            } else {
                console.success("\(counted(count, "change")) \(verb).")
            }
            return .done
        }
    }
}

extension OutboxEntry.State {
    /// The state in words.
    fileprivate var text: String {
        switch self {
        case .pending: "pending"
        case .inFlight: "in flight"
        case .setAside: "set aside"
        }
    }
}
