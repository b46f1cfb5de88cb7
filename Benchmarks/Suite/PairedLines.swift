/// An engine of a workload whose parts have individual sizes and whose sides are compared in pairs.
protocol PairedEngine: BenchmarkEngine {
    /// The adapter that keeps Tidelog's rows.
    var adapter: Adapter { get }
    /// The name of the engine that this one is compared with; `nil` if there is none.
    var other: String? { get }
}

/// The result lines of a workload with paired engines.
struct PairedLines {
    let workload: Workload
    let engines: [any BenchmarkEngine]
    let options: Options
    let rounds: [[Round]]

    var all: [ResultLine] {
        let measured = zip(engines, rounds).compactMap { engine, rounds in
            rounds.isEmpty ? nil : (engine as? any PairedEngine).map { ($0, rounds) }
        }
        return measured.map { engine, rounds in
            var line = ResultLine(workload, engine, engine.size(workload, options), rounds)
            if let other = engine.other, let side = measured.first(where: { $0.0.name == other }) {
                line.ratioTo = [other: Comparison.ratio(rounds, side.1)]
            }
            return line
        }
    }
}
