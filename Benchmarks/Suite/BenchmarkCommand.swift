import Foundation
import Tidelog

/// The program: runs the asked workloads round by round, engines taking turns, and reports medians.
@main
struct BenchmarkCommand {
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        if arguments.contains("--help") || arguments.contains("-h") {
            FileHandle.standardOutput.write(Data(Options.usage.utf8))
            return
        }
        do {
            try await run(Options(arguments))
        } catch let error as UsageError {
            report("\(error.message)\n\n\(Options.usage)")
            exit(2)
        } catch {
            report("\(error)")
            exit(1)
        }
    }

    private static func report(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }

    private static func run(_ options: Options) async throws {
        for workload in options.workload.map({ [$0] }) ?? Options.Workload.allCases {
            let lines = try await measure(workload, options)
            if options.isJSON {
                for line in lines { print(line.json) }
            } else {
                print(
                    "\n\(workload.rawValue) · \(options.adapter.rawValue) · \(lines.first?.size.records ?? 0) records")
                print(ReportLine.table(lines))
            }
        }
    }

    private static func measure(_ workload: Options.Workload, _ options: Options) async throws -> [ReportLine] {
        let size = WorkloadSize(workload, options)
        var engines: [any BenchmarkEngine] = [
            TidelogEngine(adapter: options.adapter), RawLMDBEngine(), RawSQLiteEngine(),
        ]
        if options.includesAmplify { engines += [AmplifyEngine(usesWAL: false), AmplifyEngine(usesWAL: true)] }
        var rounds = [[Measurement]](repeating: [], count: engines.count)
        let root = options.directory ?? NSTemporaryDirectory()
        for round in 0..<options.rounds {
            for (index, engine) in engines.enumerated() where options.engine ?? engine.name == engine.name {
                let directory = "\(root)/tidelog-bench-\(getpid())-\(round)-\(index)"
                try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
                defer { try? FileManager.default.removeItem(atPath: directory) }
                report("\(workload.rawValue): round \(round + 1) of \(options.rounds), \(engine.name)")
                if let measurement = try await engine.run(workload, size, in: directory) {
                    rounds[index].append(measurement)
                }
            }
        }
        return lines(workload, options, size, engines, rounds)
    }

    private static func lines(
        _ workload: Options.Workload, _ options: Options, _ size: WorkloadSize, _ engines: [any BenchmarkEngine],
        _ rounds: [[Measurement]]
    ) -> [ReportLine] {
        // The adapter is held to the raw use of the same library, except where SQLite has nothing to compare.
        let rawIndex = options.adapter == .sqlite && !rounds[2].isEmpty ? 2 : 1
        let ratios = zip(rounds[0], rounds[rawIndex]).map { $0.operationsPerSecond / $1.operationsPerSecond }.sorted()
        let ratio = ratios.isEmpty ? nil : ratios[ratios.count / 2]
        return engines.indices.compactMap { index in
            guard !rounds[index].isEmpty else { return nil }
            return ReportLine(
                workload: workload, engine: engines[index].name,
                adapter: index == 0 ? options.adapter.rawValue : engines[index].name, size: size, rounds: rounds[index],
                ratioToRaw: index == 0 ? ratio : nil)
        }
    }
}

extension WorkloadSize {
    /// The sizes that `options` ask for, with small defaults that finish in seconds.
    init(_ workload: Options.Workload, _ options: Options) {
        let isSingle = workload == .savers
        let durability = options.durability ?? (workload == .append ? .relaxed : isSingle ? .full : .unsynced)
        let records = options.records ?? (isSingle ? 5_000 : 100_000)
        let operations =
            switch workload {
            case .indexRange: max(100, min(records / 10, 5_000))
            case .ycsbA: min(records, 200_000)
            default: min(records, 500_000)
            }
        self.init(
            records: records, batch: min(options.batch ?? 10_000, records), savers: options.savers ?? 1,
            durability: durability, operations: operations)
    }
}
