import SyncSimulator
import TidelogJSON
import TidelogSync

/// The summed results of several simulations.
struct SimulationReport {
    private let adapter: SimulationPlan.Adapter
    private let `protocol`: SyncProtocol
    private var summaries: [SimulationSummary] = []
    /// The failures.
    private(set) var failures: [String] = []

    /// Among this many simulations every fault must happen. If one does not, the simulator has an error.
    private static let countWithEveryFault = 100
    /// Important steps that do not follow directly from a fault of the plan.
    private static let expectedSteps = [
        "answer", "conflict", "discard", "overtaken", "push", "ready", "reported", "retry", "unusable",
    ]

    init(adapter: SimulationPlan.Adapter, protocol: SyncProtocol) {
        (self.adapter, self.protocol) = (adapter, `protocol`)
    }

    mutating func add(_ summary: SimulationSummary) { summaries.append(summary) }

    mutating func add(failure: String) { failures.append(failure) }

    /// The faults and steps that never happened, if there were enough simulations.
    private var missing: [String] {
        guard summaries.count >= Self.countWithEveryFault else { return [] }
        return SimulationPlan.Fault.cases(of: `protocol`).filter { faultCounts[$0] == nil }.map(\.rawValue)
            + Self.expectedSteps.filter { stepCounts[$0] == nil } + MachineCases.all.filter { caseCounts[$0] == nil }
    }

    var hasPassed: Bool { failures.isEmpty && missing.isEmpty }

    private var faultCounts: [SimulationPlan.Fault: Int] {
        summaries.reduce(into: [:]) { $0.merge($1.faultCounts) { $0 + $1 } }
    }

    private var stepCounts: [String: Int] { summaries.reduce(into: [:]) { $0.merge($1.counts) { $0 + $1 } } }

    /// How often each case of the machine's inputs and actions happened.
    private var caseCounts: [String: Int] { summaries.reduce(into: [:]) { $0.merge($1.cases) { $0 + $1 } } }

    private var hash: String { String(summaries.reduce(0 as UInt64) { $0 &* 31 &+ $1.traceHash }, radix: 16) }
    private var changeCount: Int { summaries.reduce(0) { $0 + $1.changeCount } }
    private var writeCount: Int { summaries.reduce(0) { $0 + $1.writeCount } }

    // MARK: Texts

    /// The report as text, with tables of the faults and the steps.
    var text: String {
        let faults = faultCounts.map { ($0.key.rawValue, $0.value) }
        var lines = failures
        lines.append(
            "\(summaries.count + failures.count) simulations, \(adapter.rawValue), \(`protocol`.rawValue): \(changeCount) changes, "
                + "\(writeCount) writes, hash \(hash)")
        lines += Self.table("fault", faults) + Self.table("step", stepCounts.map { ($0.key, $0.value) })
        let cases = MachineCases.all.map { ($0, caseCounts[$0, default: 0]) }
        lines += Self.table("case of the machine", cases)
        let seenCount = cases.count { $0.1 > 0 }
        lines.append("\(seenCount) of \(cases.count) cases of the machine's inputs and actions happened.")
        if !missing.isEmpty { lines.append("Never happened: " + missing.joined(separator: ", ")) }
        if !failures.isEmpty {
            lines.append("\(failures.count) of \(summaries.count + failures.count) simulations failed.")
        }
        return lines.joined(separator: "\n")
    }

    private static func table(_ title: String, _ rows: [(name: String, count: Int)]) -> [String] {
        let rows = [(title, "times")] + rows.sorted { $0.name < $1.name }.map { ($0.name, "\($0.count)") }
        let (names, counts) = (rows.map(\.0.count).max() ?? 0, rows.map(\.1.count).max() ?? 0)
        return [""]
            + rows.map { name, count in
                name + String(repeating: " ", count: names - name.count + 2 + counts - count.count) + count
            }
    }

    /// The report as JSON.
    var json: String {
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("simulations")
        writer.int(Int64(summaries.count + failures.count))
        writer.key("adapter")
        writer.string(adapter.rawValue)
        writer.key("changes")
        writer.int(Int64(changeCount))
        writer.key("writes")
        writer.int(Int64(writeCount))
        writer.key("hash")
        writer.string(hash)
        Self.write("faults", faultCounts.map { ($0.key.rawValue, $0.value) }, to: &writer)
        Self.write("steps", stepCounts.map { ($0.key, $0.value) }, to: &writer)
        Self.write("cases", caseCounts.map { ($0.key, $0.value) }, to: &writer)
        Self.write("neverHappened", missing, to: &writer)
        Self.write("failures", failures, to: &writer)
        writer.endObject()
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    private static func write(_ key: String, _ counts: [(name: String, count: Int)], to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginObject()
        for (name, count) in counts.sorted(by: { $0.name < $1.name }) {
            writer.key(name)
            writer.int(Int64(count))
        }
        writer.endObject()
    }

    private static func write(_ key: String, _ texts: [String], to writer: inout JSONWriter) {
        writer.key(key)
        writer.beginArray()
        for text in texts { writer.string(text) }
        writer.endArray()
    }
}
