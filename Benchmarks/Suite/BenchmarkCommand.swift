import Foundation

/// The program. It runs the requested workloads and prints their results, or it makes a report from recorded results.
@main
struct BenchmarkCommand {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") || arguments.contains("-h") {
            FileHandle.standardOutput.write(Data(Options.usage.utf8))
            return
        }
        do {
            switch arguments.first {
            case "app": try await AppMemory.live(arguments.dropFirst())
            case "client": try runClients(arguments.dropFirst())
            case "memory": try AppMemory.run(arguments.dropFirst())
            case "report": try writeReport(arguments.dropFirst())
            case "round": try await runRound(arguments.dropFirst())
            case "serve": try await ServerProcess.serve(arguments.dropFirst())
            case "targets": try printTargets(arguments.dropFirst())
            default: try await run(Options(arguments))
            }
        } catch let error as UsageError {
            say("\(error.message)\n\n\(Options.usage)")
            exit(2)
        } catch {
            say("\(error)")
            exit(1)
        }
    }

    private static func say(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    private static func show(_ text: String) { FileHandle.standardOutput.write(Data((text + "\n").utf8)) }

    private static func run(_ options: Options) async throws {
        var results = try options.baselineFile.map { try Results(file: $0) } ?? Results()
        let machine = Machine.here(
            directory: WorkingDirectory.root(options.directory),
            command: ["tidelog-bench"] + CommandLine.arguments.dropFirst())
        results.add(machine)
        for workload in options.workload.map({ [$0] }) ?? Workload.allCases {
            let lines = try await measure(workload, options)
            results.add(lines)
            if let file = options.results { try Results.append(machine, lines, to: file) }
            guard !options.isJSON else { continue }
            var own = Results()
            own.add(lines.filter { $0.step == nil })
            for chapter in Chapter.all(own) {
                let sizes = chapter.lines.first.map {
                    "\(Readable.count($0.records)) records of \(Int($0.bytesPerRecord)) bytes"
                }
                show("\n\(workload.rawValue) · \(options.adapter.rawValue) · \(sizes ?? "")\n\(chapter.lines.table)")
            }
        }
        if let file = options.report { try Report(results: results).write(to: file) }
    }

    /// Runs one round. ``RoundProcess`` starts a process for it, and profilers can run it directly.
    private static func runRound(_ arguments: some Collection<String>) async throws {
        guard let engine = arguments.first else { throw UsageError("round needs an engine") }
        let round = try await RoundProcess.measure(engine, Options(arguments.dropFirst()))
        show(String(decoding: try JSONEncoder().encode(round), as: UTF8.self))
    }

    /// Runs the clients of a server. ``ClientProcess`` starts a process for it.
    private static func runClients(_ arguments: some Collection<String>) throws {
        show(String(decoding: try JSONEncoder().encode(ClientProcess.measure(arguments)), as: UTF8.self))
    }

    /// Runs one workload. With JSON output, each line is printed when it is complete.
    private static func measure(_ workload: Workload, _ options: Options) async throws -> [ResultLine] {
        switch workload {
        case .growth:
            let lines = try await Growth(options: options, progress: say).lines { line in
                show(options.isJSON ? line.json : stepText(line))
            }
            if options.isJSON { for line in lines where line.step == nil { show(line.json) } }
            return lines
        case .open:
            let lines = try await Opening(options: options, progress: say).lines()
            if options.isJSON { for line in lines { show(line.json) } }
            return lines
        default:
            let lines = try Comparison(workload: workload, options: options, progress: say).lines()
            if options.isJSON { for line in lines { show(line.json) } }
            return lines
        }
    }

    /// One line of text about a step of growth.
    private static func stepText(_ line: ResultLine) -> String {
        let columns = [
            Readable.count(line.records), line.engine, Readable.rate(line.opsPerSecond),
            Readable.bytes(line.peakAnonymousBytes),
            String(format: "%.2f written per byte", line.writtenPerLogicalByte),
            String(format: "flushed in %.2f s", line.flushSeconds ?? 0),
        ]
        return zip(columns, [10, 10, 10, 10, 24, 0]).map {
            $0.padding(toLength: max($0.count, $1), withPad: " ", startingAt: 0)
        }
        .joined(separator: "  ")
    }

    private static func writeReport(_ arguments: some Sequence<String>) throws {
        var arguments = Arguments(arguments)
        var results: String?
        var output: String?
        while let argument = arguments.next() {
            if argument == "--output" { output = try arguments.value(argument) } else { results = argument }
        }
        guard let results, let output else { throw UsageError("report needs RESULTS.jsonl and --output FILE.html") }
        try Report(results: Results(file: results)).write(to: output)
    }

    private static func printTargets(_ arguments: some Sequence<String>) throws {
        guard let file = Array(arguments).first else { throw UsageError("targets needs RESULTS.jsonl") }
        show(Target.table(try Results(file: file).outcomes))
    }
}
