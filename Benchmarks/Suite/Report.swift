import Foundation
import Tidelog

/// One line of the report: the medians of all rounds of one engine.
struct ReportLine {
    let workload: Options.Workload
    let engine: String
    let adapter: String
    let size: WorkloadSize
    let rounds: [Measurement]
    let ratioToRaw: Double?

    private func median(_ value: (Measurement) -> Double) -> Double {
        let sorted = rounds.map(value).sorted()
        return sorted.isEmpty ? 0 : sorted[sorted.count / 2]
    }

    var operationsPerSecond: Double { median(\.operationsPerSecond) }
    var p50: Double? { rounds.first?.percentile(0.5) == nil ? nil : median { $0.percentile(0.5) ?? 0 } }
    var p99: Double? { rounds.first?.percentile(0.99) == nil ? nil : median { $0.percentile(0.99) ?? 0 } }

    static let bytesPerRecord = 247.0

    var json: String {
        var fields: [(String, String)] = [
            ("workload", "\"\(workload.rawValue)\""), ("engine", "\"\(engine)\""), ("adapter", "\"\(adapter)\""),
            ("durability", "\"\(size.durability.name)\""), ("batch", "\(size.batch)"),
            ("records", "\(size.records)"), ("savers", "\(size.savers)"),
            ("opsPerSecond", number(operationsPerSecond)),
        ]
        fields.append(("p50Micros", p50.map(number) ?? "null"))
        fields.append(("p99Micros", p99.map(number) ?? "null"))
        let written = median { Double($0.deviceBytes) }
        let operations = max(1, median { Double($0.operations) })
        fields.append(("bytesPerRecord", number(Self.bytesPerRecord)))
        fields.append(("writtenPerLogicalByte", number(written / operations / Self.bytesPerRecord)))
        fields.append(("peakAnonymousBytes", number(median { Double($0.peakAnonymousBytes) })))
        fields.append(("syncsPerOperation", number(median { $0.syncs } / operations)))
        fields.append(("ratioToRaw", ratioToRaw.map(number) ?? "null"))
        return "{" + fields.map { "\"\($0)\":\($1)" }.joined(separator: ",") + "}"
    }

    private func number(_ value: Double) -> String {
        (value * 1_000).rounded() / 1_000 == 0 ? "0" : String((value * 1_000).rounded() / 1_000)
    }

    var row: [String] {
        [
            engine, size.durability.name, "\(size.batch)", Self.rate(operationsPerSecond),
            p50.map { String(format: "%.1f", $0) } ?? "", p99.map { String(format: "%.1f", $0) } ?? "",
            ratioToRaw.map { String(format: "%.2f ×", $0) } ?? "",
        ]
    }

    private static func rate(_ value: Double) -> String {
        if value >= 1_000_000 { return String(format: "%.2f M/s", value / 1_000_000) }
        if value >= 10_000 { return String(format: "%.0f k/s", value / 1_000) }
        return String(format: "%.0f /s", value)
    }

    static func table(_ lines: [ReportLine]) -> String {
        let rows = [["engine", "durability", "batch", "rate", "p50 µs", "p99 µs", "to raw"]] + lines.map(\.row)
        let widths = (0..<7).map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            row.enumerated().map { column, text in
                let padding = String(repeating: " ", count: widths[column] - text.count)
                return column < 2 ? text + padding : padding + text
            }.joined(separator: "  ")
        }.joined(separator: "\n")
    }
}
