internal import Tidelog

/// Checks a store in a child process, because a damaged file may crash the process that maps it.
struct VerifyCommand: Command {
    static let syntax = CommandSyntax(
        name: "verify", summary: "read every event and compare every row with its event",
        discussion: """
            Exit 7 where damage is found. Rows that differ are recreated by `tidelog rebuild`; what is good of a damaged
            log is copied by --salvage. The state hash is equal for equal content on every adapter.
            """,
        options: Option.forStore + [
            Option(name: "salvage", value: "DIR", help: "copy every undamaged event into a new store"),
            Option(name: "schema", value: "FILE", help: "the store's schema, for a log that lost it"),
        ],
        examples: [
            Example("Is everything as it should be?", "verify --store ./world"),
            Example("For scripts", "verify --store ./world --json"),
            Example("Rescue every undamaged event", "verify --store ./world --salvage ./rescued"),
        ])

    private let access: StoreAccess
    private let salvage: String?
    private let schema: String?

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        salvage = arguments.text("salvage")
        schema = arguments.text("schema")
        if schema != nil, salvage == nil { throw UsageError("--schema goes with --salvage.") }
    }

    func run(_ console: Console) async throws -> ExitStatus {
        var arguments = ["verify-child", "--store", access.path]
        if let adapter = access.adapter { arguments += ["--adapter", adapter.rawValue] }
        if let salvage { arguments += ["--salvage", salvage] }
        if let schema { arguments += ["--schema", schema] }
        if console.isJSON { arguments.append("--json") }
        if console.showsProgress { arguments.append("--progress") }
        Interruption.deferToCommits()
        if case .exited(let status) = try await run(arguments) { return status }
        guard let salvage else {
            if let failure = try await DamageDiagnosis.failure(ofStoreAt: access.path) { throw failure }
            throw CommandFailure(
                .damaged, "damaged", "The file of \(access.path) is damaged so badly that reading it ends the process.",
                recovery: "Save every undamaged event: `tidelog verify --store \(access.path) --salvage DIR`.")
        }
        console.warn("the check died on a damaged file; salvaging without it")
        if case .exited(let status) = try await run(arguments + ["--unchecked"]) { return status }
        console.warn("reading the rows ends the process; salvaging the log alone")
        if case .exited(let status) = try await run(arguments + ["--unchecked", "--log-only"]) { return status }
        throw CommandFailure(
            .failed, "crashed", "Salvaging \(access.path) into \(salvage) died.",
            recovery: "This is a fault of the tool: please report it with the command, and keep the store's files.")
    }

    private func run(_ arguments: [String]) async throws -> ChildRun.End {
        let child = try ChildRun(System.executable, arguments, mayCrash: true)
        return try await child.wait()
    }
}
