import Foundation
import Tidelog

/// The workload `growth`: stores grow step by step, with the engines taking turns, and are then opened again. It shows the
/// costs of large stores.
struct Growth {
    let options: Options
    let progress: (String) -> Void

    /// The number of records per step: a million, or fewer if a million would make fewer than five steps.
    private static func step(_ records: Int) -> Int { max(1, min(1_000_000, records / 5)) }

    /// - Parameter report: Receives the line of each step when the step ends.
    func lines(_ report: (ResultLine) -> Void) async throws -> [ResultLine] {
        let size = WorkloadSize(.growth, options)
        let runs = try await Runs(options, size)
        defer { runs.remove() }
        var lines: [ResultLine] = []
        let stepSize = Self.step(size.records)
        for (index, start) in stride(from: 0, to: size.records, by: stepSize).enumerated() {
            let end = min(start + stepSize, size.records)
            for run in runs.all {
                progress("growth: \(Readable.count(end)) of \(Readable.count(size.records)), \(run.name)")
                let line = try await run.grow(start..<end, step: index + 1)
                lines.append(line)
                report(line)
            }
        }
        var last: [ResultLine] = []
        for run in runs.all { last.append(try await run.finish()) }
        last.noteRatios(options.adapter)
        return lines + last
    }
}

/// The workload `open`: opens large stores repeatedly.
struct Opening {
    let options: Options
    let progress: (String) -> Void

    private static let openings = 9

    func lines() async throws -> [ResultLine] {
        let size = WorkloadSize(.open, options)
        let runs = try await Runs(options, size)
        defer { runs.remove() }
        var lines: [ResultLine] = []
        for run in runs.all {
            progress("open: making \(Readable.count(size.records)) records, \(run.name)")
            try await run.fill(size.records)
        }
        for run in runs.all {
            progress("open: \(run.name)")
            lines.append(try await run.openings(Self.openings))
        }
        lines.noteRatios(options.adapter)
        return lines
    }
}

/// The stores that are compared.
private struct Runs {
    let all: [any GrowthRun]

    init(_ options: Options, _ size: WorkloadSize) async throws {
        var all: [any GrowthRun] = []
        if options.includes("tidelog") {
            all.append(try await EngineGrowth(TidelogEngine(adapter: options.adapter), size, options))
        }
        if options.includes("raw-lmdb") { all.append(try await EngineGrowth(RawLMDBEngine(), size, options)) }
        self.all = all
    }

    func remove() { for run in all { run.remove() } }
}

extension [ResultLine] {
    /// Sets the ratio of Tidelog's rate to the raw rate.
    fileprivate mutating func noteRatios(_ adapter: Adapter) {
        guard let own = firstIndex(where: { $0.engine == "tidelog" }) else { return }
        let others = filter { $0.engine != "tidelog" }
        self[own].setRatios(
            Dictionary(others.map { ($0.engine, self[own].opsPerSecond / $0.opsPerSecond) }) { $1 }, adapter: adapter)
    }
}
