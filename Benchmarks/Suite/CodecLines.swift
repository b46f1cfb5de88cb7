/// The lines of `codec`: one for every side, and one for Tidelog's time without the time of making strings.
struct CodecLines {
    /// The name of the line that is computed from two other lines.
    static let withoutStrings = "tidelog-without-strings"

    /// The engines whose rates are compared with each other.
    private static let comparisons: [(engine: String, others: [String])] = [
        ("tidelog", ["c-struct", "codable-json"]), (withoutStrings, ["c-struct"]),
        ("tidelog-encode", ["c-struct-encode", "codable-json-encode"]),
        ("tidelog-decode", ["c-struct-decode", "codable-json-decode"]),
    ]

    let engines: [any BenchmarkEngine]
    let size: WorkloadSize
    let rounds: [[Round]]

    var all: [ResultLine] {
        var measured = zip(engines, rounds).filter { !$1.isEmpty }.map { ($0, $0.name, $1) }
        let roundsOf = { (name: String) in measured.first { $0.1 == name }?.2 }
        if let own = measured.first(where: { $0.1 == "tidelog" }), let strings = roundsOf("string-creation") {
            measured.insert((own.0, Self.withoutStrings, zip(own.2, strings).map(Self.difference)), at: 1)
        }
        return measured.map { engine, name, rounds in
            var line = ResultLine(.codec, engine, size, rounds)
            line.engine = name
            let others = Self.comparisons.first { $0.engine == name }?.others ?? []
            let ratios = others.compactMap { other in
                roundsOf(other).map { (other, Comparison.ratio(rounds, $0)) }
            }
            if !ratios.isEmpty { line.ratioTo = Dictionary(ratios) { $1 } }
            return line
        }
    }

    /// The round of `whole` with the time of `part` subtracted.
    private static func difference(_ whole: Round, _ part: Round) -> Round {
        var rest = whole
        // Noise must not make the time zero or negative, so the smallest time is a nanosecond.
        rest.opsPerSecond = 1 / max(1 / whole.opsPerSecond - 1 / part.opsPerSecond, 1e-9)
        return rest
    }
}
