import Foundation

/// Numbers in a form for people to read.
enum Readable {
    static func rate(_ value: Double) -> String {
        if value >= 1_000_000 { return String(format: "%.2f M/s", value / 1_000_000) }
        if value >= 10_000 { return String(format: "%.0f k/s", value / 1_000) }
        if value == 0 { return "0" }
        return String(format: value >= 100 ? "%.0f /s" : "%.1f /s", value)
    }

    static func bytes(_ value: Double) -> String {
        value >= 1_048_576 ? String(format: "%.1f MiB", value / 1_048_576) : String(format: "%.0f KiB", value / 1_024)
    }

    static func micros(_ value: Double?) -> String {
        guard let value else { return "" }
        return value >= 1_000 ? String(format: "%.1f ms", value / 1_000) : String(format: "%.1f µs", value)
    }

    static func ratio(_ value: Double?) -> String { value.map { String(format: "%.2f ×", $0) } ?? "" }

    static func count(_ value: Int) -> String {
        if value >= 1_000_000, value % 100_000 == 0 { return String(format: "%g M", Double(value) / 1_000_000) }
        if value >= 1_000, value % 1_000 == 0 { return "\(value / 1_000),000" }
        return "\(value)"
    }
}

extension ResultLine {
    private var isCodec: Bool { workload == Workload.codec.rawValue }

    /// The titles of the columns. For work without a store, the columns for durability, batch and cost are left out.
    var columns: [String] {
        if isCodec { return ["engine", "time", "rate"] }
        return [
            "engine", "durability", "batch", "rate", "p50", "p99", "to raw", "processor", "memory", "written", "syncs",
        ]
    }

    /// The values of the columns. `processor` and `syncs` are per operation, and `written` is device bytes per
    /// logical byte.
    var row: [String] {
        if isCodec { return [engine, String(format: "%.1f ns", 1e9 / opsPerSecond), Readable.rate(opsPerSecond)] }
        return [
            engine == "tidelog" ? "tidelog (\(adapter))" : engine, durability, "\(batch)", Readable.rate(opsPerSecond),
            Readable.micros(p50Micros), Readable.micros(p99Micros), Readable.ratio(ratioToRaw),
            Readable.micros(processorMicros), Readable.bytes(peakAnonymousBytes),
            String(format: "%.2f", writtenPerLogicalByte),
            String(format: "%.4g", syncsPerOperation),
        ]
    }

    /// The measured values for which there is no column.
    var remarks: [String] {
        var remarks: [String] = []
        if let step { remarks.append("step \(step)") }
        if let lastToFirst { remarks.append(String(format: "last step %.2f × the first", lastToFirst)) }
        if let lastToFirstFlushed { remarks.append(String(format: "%.2f × with flushing", lastToFirstFlushed)) }
        if let openMicros { remarks.append("open after a clean close \(Readable.micros(openMicros))") }
        if let openColdMicros { remarks.append("from the device \(Readable.micros(openColdMicros))") }
        if let firstMicros { remarks.append("the first client heard after \(Readable.micros(firstMicros))") }
        if let secondToFirstHalf {
            remarks.append(String(format: "second half %.2f × the first", secondToFirstHalf))
        }
        if workload == Workload.syncDelayed.rawValue { remarks.append(String(format: "all in %.2f s", seconds)) }
        if let flushSeconds { remarks.append(String(format: "flushed in %.2f s", flushSeconds)) }
        if let allocationsPerRejectedRow {
            remarks.append(String(format: "%.4f allocations per rejected row", allocationsPerRejectedRow))
        }
        for (name, ratio) in (ratioTo ?? [:]).sorted(by: { $0.key < $1.key }) {
            remarks.append(String(format: "%.2f × \(name)", ratio))
        }
        return remarks
    }
}

/// A table of text whose columns are as wide as their longest value.
enum TextTable {
    /// - Parameter leading: The number of columns that are aligned to the left. All other columns are aligned to the right.
    static func text(_ rows: [[String]], leading: Int) -> String {
        let widths = (rows.first ?? []).indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        return rows.map { row in
            let cells = row.enumerated().map { column, text in
                let padding = String(repeating: " ", count: widths[column] - text.count)
                return column < leading ? text + padding : padding + text
            }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }.joined(separator: "\n")
    }
}

extension [ResultLine] {
    /// A table of one workload's lines, followed by their remarks.
    var table: String {
        let table = TextTable.text(
            [first?.columns ?? []] + map(\.row), leading: first?.workload == Workload.codec.rawValue ? 1 : 2)
        let remarks = filter { !$0.remarks.isEmpty }.map { "  \($0.engine): \($0.remarks.joined(separator: ", "))" }
        return ([table] + remarks).joined(separator: "\n")
    }
}
