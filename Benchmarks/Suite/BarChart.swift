import Foundation

/// A bar chart of rates, with one row for each engine. A dashed line shows the rate that a target demands of Tidelog. The text
/// keeps its size on a small screen.
struct BarChart {
    /// One bar.
    struct Bar {
        let name: String
        let rate: Double
        /// The text after the bar.
        let text: String
        let isOwn: Bool
    }

    let title: String
    let bars: [Bar]
    /// The rates that Tidelog must reach, and how they are derived.
    var musts: [(rate: Double, text: String)] = []

    var html: String {
        let most = (bars.map(\.rate) + musts.map(\.rate)).max() ?? 0
        guard most > 0 else { return "" }
        let marks = musts.map { "<i class=\"must\" style=\"left:\(Self.percent($0.rate / most))\"></i>" }.joined()
        let rows = bars.map { bar in
            """
            <div class="bar\(bar.isOwn ? " own" : "")"><span>\(Report.escaped(bar.name))</span>\
            <span class="track"><b style="width:\(Self.percent(bar.rate / most))"></b>\(marks)</span>\
            <span>\(Report.escaped(bar.text))</span></div>
            """
        }
        let legend = musts.map { "<p class=\"soft legend\"><i class=\"must\"></i>\(Report.escaped($0.text))</p>" }
        return """
            <div class="bars" role="img" aria-label="\(Report.escaped(title))">
            \((rows + legend).joined(separator: "\n"))
            </div>
            """
    }

    private static func percent(_ part: Double) -> String { String(format: "%.1f%%", max(0.4, part * 100)) }
}

extension BarChart {
    /// The chart of all engines of a chapter.
    init(_ chapter: Chapter) {
        let raw = chapter.rawRate
        let bars = chapter.lines.map { line in
            let ratio = raw.map { String(format: " · %.2f ×", line.opsPerSecond / $0) } ?? ""
            return Bar(
                name: line.engine, rate: line.opsPerSecond, text: Readable.rate(line.opsPerSecond) + ratio,
                isOwn: line.isOwn)
        }
        self.init(title: chapter.title, bars: bars, musts: chapter.musts)
    }
}

extension Chapter {
    /// The rates that Tidelog must reach here, and how they are derived.
    fileprivate var musts: [(rate: Double, text: String)] {
        guard let own = lines.first(where: \.isOwn) else { return [] }
        return Target.all.compactMap { target in
            guard let mark = target.mark, mark.work.matches(own),
                let other = lines.first(where: { $0.engine == mark.engine })
            else { return nil }
            return (mark.ratio * other.opsPerSecond, String(format: "must: %.2f × \(mark.engine)", mark.ratio))
        }
    }

    /// The rate of raw use of the adapter's library. The ratios next to the bars refer to it.
    fileprivate var rawRate: Double? {
        let own = lines.first { $0.engine == "tidelog" }
        let names = own?.adapter == "sqlite" ? ["raw-sqlite", "raw-lmdb"] : ["raw-lmdb"]
        return names.lazy.compactMap { name in lines.first { $0.engine == name } }.first?.opsPerSecond
    }
}

extension Target.Work {
    /// Whether Tidelog's line measures this work.
    func matches(_ line: ResultLine) -> Bool {
        line.workload == workload.rawValue && line.adapter == adapter.rawValue && line.savers == savers
            && (durability.map { $0 == line.durability } ?? true) && (batch.map { $0 == line.batch } ?? true)
    }
}
