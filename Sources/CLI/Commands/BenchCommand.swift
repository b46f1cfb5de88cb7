/// Runs the benchmarks.
struct BenchCommand: Command {
    static let syntax = CommandSyntax(
        name: "bench", summary: "run the benchmarks; what follows goes to tidelog-bench",
        discussion: "tidelog-bench is in the folder of this program; docs/BENCHMARKS.md explains its results.",
        operands: [.init(name: "ARGUMENTS", help: "for tidelog-bench", isOptional: true, isRepeated: true)],
        examples: [.init("One workload on one adapter", "bench --workload append --adapter lmdb --records 100000")],
        passesThrough: true)

    private let arguments: [String]

    init(_ arguments: Arguments) throws { self.arguments = arguments.operands }

    func run(_ console: Console) async throws -> ExitStatus {
        let path = System.executableDirectory + "/tidelog-bench"
        let error = System.replaceProcess(path, arguments)
        throw CommandFailure(
            .failed, "inputOutput", "Could not run \(path): \(System.message(error)).",
            recovery: "Build it: `swift build -c release --product tidelog-bench`.")
    }
}
