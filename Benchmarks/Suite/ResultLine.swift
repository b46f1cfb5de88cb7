import Foundation
@_spi(Adapters) import Tidelog

/// One line of the results: the medians of all rounds of one engine, or one step of its growth.
struct ResultLine: Codable, Sendable {
    var workload: String
    var engine: String
    var adapter: String
    var durability: String
    var batch: Int
    var records: Int
    var savers: Int
    var rounds: Int
    var opsPerSecond: Double
    var p50Micros: Double?
    var p99Micros: Double?
    var bytesPerRecord: Double
    var writtenPerLogicalByte: Double
    var peakAnonymousBytes: Double
    var syncsPerOperation: Double
    /// Tidelog's rate to that of the raw use of the same library: the median over the rounds.
    var ratioToRaw: Double?
    /// The same to every other engine of the run, by name.
    var ratioTo: [String: Double]?
    /// Of a scan: blocks of memory per row that it rejects.
    var allocationsPerRejectedRow: Double?
    /// Of a growing store: which step this is, from 1; none on its last line.
    var step: Int?
    /// Of a growing store: the rate of its last step to that of its first.
    var lastToFirst: Double?
    /// The same with the time that flushing took counted as work.
    var lastToFirstFlushed: Double?
    /// How long flushing the step's files took after it, in seconds; not in the rate.
    var flushSeconds: Double?
    /// Opening the store after a clean close, in microseconds: the median.
    var openMicros: Double?
    /// The same with none of its files in the system's cache.
    var openColdMicros: Double?
    /// How long it took until the first of many clients had heard, in microseconds: the median.
    var firstMicros: Double?
    /// Of `sync-drain`: the rate at which the second half of the changes was sent to that of the first half: the median.
    var secondToFirstHalf: Double?

    init(_ workload: Workload, _ engine: any BenchmarkEngine, _ size: WorkloadSize, _ rounds: [Round]) {
        func median(_ value: (Round) -> Double) -> Double { rounds.map(value).median }
        func medianIfAny(_ value: (Round) -> Double?) -> Double? {
            let values = rounds.compactMap(value)
            return values.isEmpty ? nil : values.median
        }
        self.workload = workload.rawValue
        self.engine = engine.name
        adapter =
            ((engine as? TidelogEngine)?.adapter ?? (engine as? any PairedEngine)?.adapter)?.rawValue ?? engine.name
        durability = size.durability.name
        batch = size.batch
        records = size.records
        savers = size.savers
        self.rounds = rounds.count
        opsPerSecond = median(\.opsPerSecond)
        p50Micros = medianIfAny(\.p50Micros)
        p99Micros = medianIfAny(\.p99Micros)
        firstMicros = medianIfAny(\.firstMicros)
        secondToFirstHalf = medianIfAny(\.secondToFirstHalf)
        bytesPerRecord = median(\.bytesPerRecord)
        writtenPerLogicalByte = median(\.writtenPerLogicalByte)
        peakAnonymousBytes = median(\.peakAnonymousBytes)
        syncsPerOperation = median(\.syncsPerOperation)
        allocationsPerRejectedRow = medianIfAny(\.allocationsPerRejectedRow)
    }

    /// Whether it is of what is compared with others.
    var isOwn: Bool { engine == "tidelog" || engine.hasPrefix("server-") || engine.hasPrefix("sync-") }

    /// What makes two lines speak of the same thing.
    var identity: [String] {
        [workload, engine, adapter, durability, "\(batch)", "\(records)", "\(savers)", "\(step ?? 0)"]
    }

    /// What lines of one comparison have in common, beside Tidelog's adapter.
    var comparison: [String] { [workload, durability, "\(batch)", "\(records)", "\(savers)"] }
}

extension ResultLine {
    /// The line as one object, its fields always in the same order.
    var json: String {
        var fields: [(String, String)] = [
            ("workload", Self.text(workload)), ("engine", Self.text(engine)), ("adapter", Self.text(adapter)),
            ("durability", Self.text(durability)), ("batch", "\(batch)"), ("records", "\(records)"),
            ("savers", "\(savers)"), ("rounds", "\(rounds)"), ("opsPerSecond", Self.number(opsPerSecond)),
            ("p50Micros", p50Micros.map(Self.number) ?? "null"), ("p99Micros", p99Micros.map(Self.number) ?? "null"),
            ("bytesPerRecord", Self.number(bytesPerRecord)),
            ("writtenPerLogicalByte", Self.number(writtenPerLogicalByte)),
            ("peakAnonymousBytes", Self.number(peakAnonymousBytes)),
            ("syncsPerOperation", Self.number(syncsPerOperation)),
            ("ratioToRaw", ratioToRaw.map(Self.number) ?? "null"),
        ]
        if let ratioTo {
            let ratios = ratioTo.sorted { $0.key < $1.key }.map { "\(Self.text($0)):\(Self.number($1))" }
            fields.append(("ratioTo", "{" + ratios.joined(separator: ",") + "}"))
        }
        let optional: [(String, Double?)] = [
            ("allocationsPerRejectedRow", allocationsPerRejectedRow), ("step", step.map(Double.init)),
            ("lastToFirst", lastToFirst), ("lastToFirstFlushed", lastToFirstFlushed), ("flushSeconds", flushSeconds),
            ("openMicros", openMicros),
            ("openColdMicros", openColdMicros), ("firstMicros", firstMicros),
            ("secondToFirstHalf", secondToFirstHalf),
        ]
        for case (let name, let value?) in optional { fields.append((name, Self.number(value))) }
        return "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private static func text(_ text: String) -> String { "\"\(text)\"" }

    /// Six digits after the point, none if there is nothing after it.
    private static func number(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        let rounded = (value * 1_000_000).rounded() / 1_000_000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int64(rounded)) : String(rounded)
    }
}
