/// The lines of `codec`: every side, and what is left of Tidelog's time without the making of strings.
struct CodecLines {
    /// The engine of the line that is worked out from two others.
    static let withoutStrings = "tidelog-without-strings"

    /// Whose rate is compared with whose.
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

    /// The round of `whole` less the time of `part`.
    private static func difference(_ whole: Round, _ part: Round) -> Round {
        var rest = whole
        // A nanosecond at least, whatever the noise.
        rest.opsPerSecond = 1 / max(1 / whole.opsPerSecond - 1 / part.opsPerSecond, 1e-9)
        return rest
    }
}
