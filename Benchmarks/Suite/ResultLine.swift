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
    /// The processor time of the process for each operation, in microseconds.
    var processorMicros: Double?
    /// The ratio of Tidelog's rate to that of raw use of the same library: the median over the rounds.
    var ratioToRaw: Double?
    /// The ratio of the rate to that of every other engine of the run, by the engine's name.
    var ratioTo: [String: Double]?
    /// For a scan, the number of memory blocks allocated per rejected row.
    var allocationsPerRejectedRow: Double?
    /// For a growing store, the number of this step, from 1; `nil` for its last line.
    var step: Int?
    /// For a growing store, the ratio of its last step's rate to its first step's.
    var lastToFirst: Double?
    /// The same ratio with the time of flushing counted as work.
    var lastToFirstFlushed: Double?
    /// The time of flushing the files after the step, in seconds. The rate does not include it.
    var flushSeconds: Double?
    /// The median time to open the store after a clean close, in microseconds.
    var openMicros: Double?
    /// The median time to open the store with none of its files in the system's cache, in microseconds.
    var openColdMicros: Double?
    /// The median time until the first of many clients received a change, in microseconds.
    var firstMicros: Double?
    /// For `sync-drain`, the ratio of the rate of sending the second half of the changes to that of the first half: the median.
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
        processorMicros = median(\.processorMicros)
        allocationsPerRejectedRow = medianIfAny(\.allocationsPerRejectedRow)
    }

    /// Whether the line measures Tidelog, and not an engine that Tidelog is compared with.
    var isOwn: Bool { engine == "tidelog" || engine.hasPrefix("server-") || engine.hasPrefix("sync-") }

    /// The seconds that the work took, if each record is one operation.
    var seconds: Double { Double(records) / opsPerSecond }

    /// The values that are equal in two lines if both measure the same thing.
    var identity: [String] {
        [workload, engine, adapter, durability, "\(batch)", "\(records)", "\(savers)", "\(step ?? 0)"]
    }

    /// The values that all lines of one comparison share, apart from Tidelog's adapter.
    var comparison: [String] { [workload, durability, "\(batch)", "\(records)", "\(savers)"] }
}

extension ResultLine {
    /// The line as one JSON object. Its fields always have the same order.
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
            ("processorMicros", processorMicros), ("allocationsPerRejectedRow", allocationsPerRejectedRow),
            ("step", step.map(Double.init)),
            ("lastToFirst", lastToFirst), ("lastToFirstFlushed", lastToFirstFlushed), ("flushSeconds", flushSeconds),
            ("openMicros", openMicros),
            ("openColdMicros", openColdMicros), ("firstMicros", firstMicros),
            ("secondToFirstHalf", secondToFirstHalf),
        ]
        for case (let name, let value?) in optional { fields.append((name, Self.number(value))) }
        return "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private static func text(_ text: String) -> String { "\"\(text)\"" }

    /// The number with at most six decimal places, and with none if it is whole.
    private static func number(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        let rounded = (value * 1_000_000).rounded() / 1_000_000
        return rounded == rounded.rounded() && abs(rounded) < 1e15 ? String(Int64(rounded)) : String(rounded)
    }
}
