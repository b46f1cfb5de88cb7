import Foundation
import Tidelog

/// Runs one workload on all engines. In each round the engines take turns.
struct Comparison {
    let workload: Workload
    let options: Options
    let progress: (String) -> Void

    private var engines: [any BenchmarkEngine] {
        Engines.all(options).filter { engine in
            switch engine.name {
            case "raw-sqlite-normal": isWriting && size.durability == .relaxed && workload != .append
            case "raw-lmdb-rebuild": workload == .rebuild
            // With many savers, other work takes most of the time, so these two engines would show nothing.
            case "tidelog-observed", "tidelog-main-actor": size.savers == 1
            // Amplify's path has only one durability, which corresponds to `full`.
            case "amplify-path", "amplify-path-wal":
                options.includesAmplify && (workload != .savers || size.durability == .full)
            default: true
            }
        }.filter { options.includes($0.name) }
    }

    private var size: WorkloadSize { WorkloadSize(workload, options) }

    private var isWriting: Bool { ![.pointRead, .scan, .indexRange, .rebuild, .codec].contains(workload) }

    func lines() throws -> [ResultLine] {
        let engines = engines
        var rounds = [[Round]](repeating: [], count: engines.count)
        for round in 1...options.rounds {
            for (index, engine) in engines.enumerated() where engine.takesPart(in: workload) {
                progress("\(workload.rawValue): round \(round) of \(options.rounds), \(engine.name)")
                rounds[index].append(try RoundProcess.run(engine.name, options.roundArguments(workload)))
            }
        }
        return lines(engines, size, rounds)
    }

    private func lines(
        _ engines: [any BenchmarkEngine], _ size: WorkloadSize, _ rounds: [[Round]]
    ) -> [ResultLine] {
        if workload == .codec { return CodecLines(engines: engines, size: size, rounds: rounds).all }
        if workload.hasPairs {
            return PairedLines(workload: workload, engines: engines, options: options, rounds: rounds).all
        }
        let own = engines.firstIndex { $0.name == TidelogEngine.Setting.plain.rawValue }
        return engines.indices.compactMap { index in
            guard !rounds[index].isEmpty else { return nil }
            var line = ResultLine(workload, engines[index], size, rounds[index])
            guard index == own else { return line }
            let ratios = engines.indices.filter { $0 != own && !rounds[$0].isEmpty }.map { other in
                (engines[other].name, Self.ratio(rounds[index], rounds[other]))
            }
            line.setRatios(Dictionary(ratios) { $1 }, adapter: options.adapter)
            return line
        }
    }

    /// The ratio of one engine's rate to the other's: the median over the rounds.
    static func ratio(_ own: [Round], _ other: [Round]) -> Double {
        zip(own, other).map { $0.opsPerSecond / $1.opsPerSecond }.median
    }
}

extension ResultLine {
    /// Sets Tidelog's ratios. The adapter is compared with raw use of the same library, or with raw LMDB if that is all there
    /// is.
    mutating func setRatios(_ ratios: [String: Double], adapter: Adapter) {
        guard !ratios.isEmpty else { return }
        ratioTo = ratios
        ratioToRaw = adapter == .sqlite ? ratios["raw-sqlite"] ?? ratios["raw-lmdb"] : ratios["raw-lmdb"]
    }
}

extension Options {
    /// The arguments for the process that runs one engine's round.
    fileprivate func roundArguments(_ workload: Workload) -> [String] {
        var arguments = ["--workload", workload.rawValue, "--adapter", adapter.rawValue]
        if let durability { arguments += ["--durability", durability.name] }
        if let batch { arguments += ["--batch", "\(batch)"] }
        if let records { arguments += ["--records", "\(records)"] }
        if let savers { arguments += ["--savers", "\(savers)"] }
        if let database { arguments += ["--database", database] }
        if let syncProtocol { arguments += ["--protocol", syncProtocol.rawValue] }
        if let directory { arguments += ["--directory", directory] }
        return arguments
    }
}
