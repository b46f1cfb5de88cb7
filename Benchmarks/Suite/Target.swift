import Foundation

/// A performance target, and how the results show whether it is met.
struct Target: Sendable {
    /// The line of Tidelog to which the target applies. If several lines match, the line with the most records counts.
    struct Work: Sendable {
        var workload: Workload
        var adapter = Adapter.lmdb
        var durability: String?
        var batch: Int?
        var savers = 1
    }

    let name: String
    let must: String
    /// The result for the target; `nil` if it was not measured.
    let measure: @Sendable (Results) -> (text: String, isMet: Bool)?
    /// The line whose plot shows the target, the engine that it is compared with, and the demanded ratio of rates.
    var mark: (work: Work, engine: String, ratio: Double)?

    /// The outcome of a target.
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
    /// The line of `work` by `engine` with the most records.
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

    /// The outcomes of all targets.
    var outcomes: [Target.Outcome] { Target.all.map { $0.outcome(self) } }
}

extension Target {
    /// A target for the ratio of a rate to that of `engine`. The rate is that of the line called `own`.
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

    /// A target for the ratio of a time to that of `engine`. The time is that of the line called `own`.
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

    /// A target for the ratio of the rate of `engine`, which uses Tidelog in another way, to Tidelog's rate.
    static func share(_ name: String, _ work: Work, of engine: String, atLeast ratio: Double) -> Target {
        Target(
            name: name, must: String(format: "≥ %.2f × tidelog", ratio),
            measure: { results in
                guard let measured = results.line(work)?.ratioTo?[engine], measured > 0 else { return nil }
                return (String(format: "%.2f ×", 1 / measured), 1 / measured >= ratio)
            })
    }

    /// A target for a number in the line called `own`.
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
