/// The lines of `server`: what it measures has sizes of its own, and each of the server's sides is compared with the engine's.
struct ServerLines {
    private static let comparisons: [ServerEngine.Part: ServerEngine.Part] = [.mutations: .savers, .baseSync: .rows]

    let engines: [any BenchmarkEngine]
    let options: Options
    let rounds: [[Round]]

    var all: [ResultLine] {
        let measured = zip(engines, rounds).compactMap { engine, rounds in
            rounds.isEmpty ? nil : (engine as? ServerEngine).map { ($0, rounds) }
        }
        return measured.map { engine, rounds in
            var line = ResultLine(.server, engine, engine.size(.server, options), rounds)
            if let other = Self.comparisons[engine.part], let side = measured.first(where: { $0.0.part == other }) {
                line.ratioTo = [other.rawValue: Comparison.ratio(rounds, side.1)]
            }
            return line
        }
    }
}
