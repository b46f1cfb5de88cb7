@_spi(Adapters) internal import Tidelog
internal import TidelogJSON
internal import TidelogRecordText
internal import TidelogSync
internal import TidelogSynchronization

/// Compares a store with its server after a sync, and writes the differences.
struct ServerComparison: Sendable {
    /// Whether the store takes the server's records where they differ.
    private let isRepairing: Bool
    private let patience: Duration

    static let options = [
        Option(name: "verify", help: "afterwards compare every record with the server's, and name the different ones"),
        Option(name: "repair", help: "with --verify: take the server's record where they differ"),
    ]

    /// - Returns: `nil` if the arguments do not ask for a comparison.
    init?(_ arguments: Arguments, patience: Duration) throws {
        isRepairing = arguments.has("repair")
        guard arguments.has("verify") else {
            if isRepairing { throw UsageError("--repair goes with --verify.") }
            return nil
        }
        self.patience = patience
    }

    /// Compares the engine's store with its server, and writes the records that differ. An interruption stops the comparison.
    func run(_ engine: SyncEngine, _ console: Console) async throws -> SyncVerification {
        let list = DifferenceList(console)
        let comparison = Task { [isRepairing, patience] in
            try await engine.verify(
                repairing: isRepairing, patience: patience, progress: { list.note(compared: $0) },
                { try list.add($0) })
        }
        do {
            let verification = try await Interruption.cancelling(comparison)
            try list.finish()
            return verification
        } catch {
            list.leaveProgress()
            throw error
        }
    }
}

/// Writes the records that differ, one after the other.
private final class DifferenceList: Sendable {
    private struct State {
        var table: Table?
        var bar: ProgressBar
    }

    private let console: Console
    private let state: Mutex<State>

    init(_ console: Console) {
        self.console = console
        state = Mutex(State(bar: ProgressBar("Comparing", unit: "record", on: console)))
    }

    func note(compared count: Int) { state.withLock { $0.bar.update(count, fraction: nil) } }

    func leaveProgress() { state.withLock { $0.bar.leave() } }

    func add(_ difference: SyncDifference) throws {
        if console.isJSON {
            return try console.output.writeObject { writer in
                writer.member("model", difference.model)
                writer.key("id")
                writer.id(difference.id)
                writer.member("difference", difference.kind.rawValue)
                writer.texts("fields", difference.fields)
                writer.member("isRepaired", difference.isRepaired)
            }
        }
        try state.withLock { state in
            state.bar.leave()
            var table = state.table ?? Self.table(console)
            let repaired = difference.isRepaired ? "repaired" : ""
            try table.add([difference.model, difference.id.text, difference.text, repaired])
            state.table = table
        }
    }

    func finish() throws {
        try state.withLock { state in
            state.bar.leave()
            try state.table?.finish()
        }
    }

    private static func table(_ console: Console) -> Table {
        Table(
            [
                .init(title: "model"), .init(title: "id"), .init(title: "difference", least: 24),
                .init(title: "", isHiddenWhereEmpty: true, isKept: true),
            ], on: console)
    }
}

extension SyncDifference {
    /// The difference in words.
    fileprivate var text: String {
        switch kind {
        case .missingHere: "missing in the store"
        case .missingThere: "missing on the server"
        case .differs: "differs in \(fields.joined(separator: ", "))"
        }
    }
}

extension SyncVerification {
    /// The exit status of a command with this result; `nil` if no difference is left.
    ///
    /// - Throws: ``CommandFailure`` if not every record was compared.
    var status: ExitStatus? {
        get throws {
            if differences > repaired { return .damaged }
            guard let problem = problems.first else { return nil }
            throw CommandFailure(
                .failed, "incomplete", problem,
                recovery: "The other records are equal. See what the server says about these.")
        }
    }

    /// Writes the counts as members of a JSON object.
    func write(to writer: inout JSONWriter) {
        writer.member("compared", compared)
        writer.member("differences", differences)
        writer.member("repaired", repaired)
        writer.member("behind", behind)
        writer.member("unsent", unsent)
        writer.texts("problems", problems)
    }

    /// Writes the counts for people.
    func write(to console: Console) throws {
        let style = console.outputStyle
        let left = differences - repaired
        let parts = [
            differences == 0 && problems.isEmpty ? "no difference" : nil,
            left > 0 ? "\(left.grouped) differ" : nil,
            repaired > 0 ? "\(repaired.grouped) repaired" : nil,
            behind > 0 ? "\(behind.grouped) changed on the server since the sync" : nil,
            unsent > 0 ? "\(unsent.grouped) left out as they have changes to send" : nil,
        ].compactMap { $0 }
        let mark = isEqual ? style.green("✓ Compared:") : style.yellow("Compared:")
        try console.output.write("\(mark) \(([counted(compared, "record")] + parts).joined(separator: ", ")).\n")
    }
}
