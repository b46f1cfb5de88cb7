internal import Tidelog

/// Checks a store, in a child process: a damaged file may end whoever maps it.
struct VerifyCommand: Command {
    static let syntax = CommandSyntax(
        name: "verify", summary: "read every event and compare every row with its event",
        discussion: """
            Exit 7 where damage is found. Rows that differ are made anew by `tidelog rebuild`; what is good of a damaged
            log is copied by --salvage. The state hash is equal for equal content on every adapter.
            """,
        options: Option.forStore + [
            Option(name: "salvage", value: "DIR", help: "copy the good events into a new store")
        ],
        examples: [
            Example("Is everything as it should be?", "verify --store ./world"),
            Example("For scripts", "verify --store ./world --json"),
            Example("Rescue what is good", "verify --store ./world --salvage ./rescued"),
        ])

    private let access: StoreAccess
    private let salvage: String?

    init(_ arguments: Arguments) throws {
        access = try StoreAccess(arguments)
        salvage = arguments.text("salvage")
    }

    func run(_ console: Console) async throws -> ExitStatus {
        var arguments = ["verify-child", "--store", access.path]
        if let adapter = access.adapter { arguments += ["--adapter", adapter.rawValue] }
        if let salvage { arguments += ["--salvage", salvage] }
        if console.isJSON { arguments.append("--json") }
        if console.showsProgress { arguments.append("--progress") }
        Interruption.deferToCommits()
        if case .exited(let status) = try await run(arguments) { return status }
        if salvage != nil {
            console.warn("the check died on the damaged file; salvaging without it")
            if case .exited(let status) = try await run(arguments + ["--unchecked"]) { return status }
        }
        if salvage == nil, let failure = try await DamageDiagnosis.failure(ofStoreAt: access.path) { throw failure }
        throw CommandFailure(
            .damaged, "damaged", "The file of \(access.path) is damaged so badly that reading it ends the process.",
            recovery: "Nothing could be salvaged: restore a backup.")
    }

    private func run(_ arguments: [String]) async throws -> ChildRun.End {
        let child = try ChildRun(System.executable, arguments, mayCrash: true)
        return try await child.wait()
    }
}
