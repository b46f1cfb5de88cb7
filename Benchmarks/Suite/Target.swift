import Foundation

/// What the engine has to reach, and how results show whether it did.
struct Target: Sendable {
    /// Which of Tidelog's lines it is about; the one with the most records counts.
    struct Work: Sendable {
        var workload: Workload
        var adapter = Adapter.lmdb
        var durability: String?
        var batch: Int?
        var savers = 1
    }

    let name: String
    let must: String
    /// What the results show; `nil` if they show nothing.
    let measure: @Sendable (Results) -> (text: String, isMet: Bool)?
    /// The line whose plot shows the target, the engine and the ratio of rates that it asks for.
    var mark: (work: Work, engine: String, ratio: Double)?

    /// What came of it.
    struct Outcome: Sendable {
        let target: Target
        let measured: String
        let isMet: Bool?

        var verdict: String { isMet.map { $0 ? "met" : "missed" } ?? "not measured" }
    }

    func outcome(_ results: Results) -> Outcome {
        let found = measure(results)
        return Outcome(target: self, measured: found?.text ?? "", isMet: found?.isMet)
    }

    static func table(_ outcomes: [Outcome]) -> String {
        let rows = outcomes.map { [$0.target.name, $0.target.must, $0.measured, $0.verdict] }
        return TextTable.text([["target", "must", "measured", ""]] + rows, leading: 4)
    }
}

extension Results {
    /// The largest line of `work` by `engine`.
    func line(_ work: Target.Work, engine: String = "tidelog") -> ResultLine? {
        lines(work, engine: engine).max { $0.records < $1.records }
    }

    /// Every line of `work` by `engine`, without the steps of growth.
    func lines(_ work: Target.Work, engine: String = "tidelog") -> [ResultLine] {
        lines.filter { line in
            line.workload == work.workload.rawValue && line.engine == engine && line.step == nil
                && line.savers == work.savers && (work.durability.map { $0 == line.durability } ?? true)
                && (work.batch.map { $0 == line.batch } ?? true)
                && (Adapter(rawValue: line.adapter) ?? work.adapter) == work.adapter
        }
    }

    /// What the results show of all targets.
    var outcomes: [Target.Outcome] { Target.all.map { $0.outcome(self) } }
}

extension Target {
    /// Tidelog's rate, or that of its line called `own`, to that of `engine`.
    static func rate(
        _ name: String, _ work: Work, by own: String = "tidelog", of engine: String, atLeast ratio: Double
    ) -> Target {
        Target(
            name: name, must: String(format: "≥ %.2f × \(engine)", ratio),
            measure: { results in
                guard let measured = results.line(work, engine: own)?.ratioTo?[engine] else { return nil }
                return (String(format: "%.2f ×", measured), measured >= ratio)
            }, mark: (work, engine, ratio))
    }

    /// Tidelog's time, or that of its line called `own`, to that of `engine`.
    static func time(
        _ name: String, _ work: Work, by own: String = "tidelog", of engine: String, atMost ratio: Double
    ) -> Target {
        Target(
            name: name, must: String(format: "≤ %.2f × \(engine)’s time", ratio),
            measure: { results in
                guard let measured = results.line(work, engine: own)?.ratioTo?[engine], measured > 0 else { return nil }
                return (String(format: "%.2f ×", 1 / measured), 1 / measured <= ratio)
            }, mark: own == "tidelog" ? (work, engine, 1 / ratio) : nil)
    }

    /// The rate of `engine`, which is Tidelog used in another way, to Tidelog's.
    static func share(_ name: String, _ work: Work, of engine: String, atLeast ratio: Double) -> Target {
        Target(
            name: name, must: String(format: "≥ %.2f × tidelog", ratio),
            measure: { results in
                guard let measured = results.line(work)?.ratioTo?[engine], measured > 0 else { return nil }
                return (String(format: "%.2f ×", 1 / measured), 1 / measured >= ratio)
            })
    }

    /// A number of Tidelog's line, or of its line called `own`.
    static func number(
        _ name: String, _ work: Work, by own: String = "tidelog", atMost limit: Double,
        _ format: @escaping @Sendable (Double) -> String,
        _ value: @escaping @Sendable (ResultLine) -> Double?
    ) -> Target {
        Target(
            name: name, must: "≤ \(format(limit))",
            measure: { results in
                guard let measured = results.line(work, engine: own).flatMap(value) else { return nil }
                return (format(measured), measured <= limit)
            })
    }
}
