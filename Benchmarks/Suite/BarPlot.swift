import Foundation

/// A bar chart with one bar for each engine's rate. A line across shows the rate that the target demands of Tidelog.
struct BarPlot {
    private let chapter: Chapter

    private static let width = 900.0
    private static let labels = 170.0
    private static let numbers = 150.0
    private static let barHeight = 20.0
    private static let pitch = 28.0

    init(_ chapter: Chapter) { self.chapter = chapter }

    /// The rates that Tidelog must reach in this chart, and how they are derived.
    private var musts: [(rate: Double, text: String)] {
        guard let own = chapter.lines.first(where: { $0.isOwn }) else { return [] }
        return Target.all.compactMap { target in
            guard let mark = target.mark, mark.work.matches(own),
                let other = chapter.lines.first(where: { $0.engine == mark.engine })
            else { return nil }
            return (mark.ratio * other.opsPerSecond, String(format: "must: %.2f × \(mark.engine)", mark.ratio))
        }
    }

    var svg: String {
        let musts = musts
        let most = (chapter.lines.map(\.opsPerSecond) + musts.map(\.rate)).max() ?? 0
        guard most > 0 else { return "" }
        let scale = (Self.width - Self.labels - Self.numbers) / most
        let top = Double(musts.count) * 15 + 4
        let bottom = top + Double(chapter.lines.count) * Self.pitch
        let lines = musts.enumerated().map { index, must in
            mark(must, x: Self.labels + must.rate * scale, y: Double(index) * 15 + 12, bottom: bottom)
        }
        let bars = chapter.lines.enumerated().map { index, line in
            bar(line, length: max(1, line.opsPerSecond * scale), y: top + Double(index) * Self.pitch)
        }
        let shapes = lines + bars
        return """
            <svg viewBox="0 0 \(Int(Self.width)) \(Int(bottom))" width="\(Int(Self.width))" role="img" \
            aria-label="\(Report.escaped(chapter.title))">
            \(shapes.joined(separator: "\n"))
            </svg>
            """
    }

    private func bar(_ line: ResultLine, length: Double, y: Double) -> String {
        let color = line.isOwn ? "var(--own)" : "var(--other)"
        let ratio = raw.map { String(format: " · %.2f ×", line.opsPerSecond / $0) } ?? ""
        return """
            <text x="\(Self.labels - 8)" y="\(y + 15)" text-anchor="end">\(line.engine)</text>
            <rect x="\(Self.labels)" y="\(y)" width="\(Self.coordinate(length))" height="\(Self.barHeight)" rx="2" \
            style="fill:\(color)"/>
            <text class="clear" x="\(Self.coordinate(Self.labels + length + 6))" y="\(y + 15)">\
            \(Readable.rate(line.opsPerSecond))\(ratio)</text>
            """
    }

    private func mark(_ must: (rate: Double, text: String), x: Double, y: Double, bottom: Double) -> String {
        let side = x > Self.width - Self.numbers - Self.labels ? "dx=\"-4\" text-anchor=\"end\"" : "dx=\"4\""
        let x = Self.coordinate(x)
        return """
            <line x1="\(x)" x2="\(x)" y1="\(y - 8)" y2="\(bottom - 4)" style="stroke:var(--must);stroke-width:1.5" \
            stroke-dasharray="5 3"/>
            <text class="small clear" x="\(x)" y="\(y)" \(side)>\(must.text)</text>
            """
    }

    /// The rate of raw use of the adapter's library. The ratios next to the bars refer to it.
    private var raw: Double? {
        let own = chapter.lines.first { $0.engine == "tidelog" }
        let names = own?.adapter == "sqlite" ? ["raw-sqlite", "raw-lmdb"] : ["raw-lmdb"]
        return names.lazy.compactMap { name in chapter.lines.first { $0.engine == name } }.first?.opsPerSecond
    }

    private static func coordinate(_ value: Double) -> String { String(format: "%.1f", value) }
}

extension Target.Work {
    /// Whether Tidelog's line measures this work.
    func matches(_ line: ResultLine) -> Bool {
        line.workload == workload.rawValue && line.adapter == adapter.rawValue && line.savers == savers
            && (durability.map { $0 == line.durability } ?? true) && (batch.map { $0 == line.batch } ?? true)
    }
}
