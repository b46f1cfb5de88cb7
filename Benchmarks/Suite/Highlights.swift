import Foundation

/// The first part of the report: three works that every app does, and the works in which Tidelog is slower than another engine.
struct Highlights {
    private let results: Results

    init(_ results: Results) { self.results = results }

    var html: String {
        let charts = works.compactMap { work in chart(work.title, work.work) }
        guard !charts.isEmpty else { return losses }
        return "<h2>Works that every app does</h2>\n\(charts.joined(separator: "\n"))\n\(losses)"
    }

    private var works: [(title: String, work: Target.Work)] {
        [
            (
                "Saving one record after the other, each of them durable: saves a second",
                Target.Work(workload: .savers, durability: "full")
            ),
            (
                "Showing a list of \(Workload.rangeLimit) records in order, by an index: lists a second",
                Target.Work(workload: .indexRange)
            ),
            ("Opening one record by its id: records a second", Target.Work(workload: .pointRead)),
        ]
    }

    /// The engines that a reader knows, with their names for readers.
    private static let names = [
        ("tidelog", "Tidelog"), ("raw-sqlite", "SQLite, from C"), ("raw-lmdb", "LMDB, from C"),
        ("amplify-path", "Amplify DataStore’s statements"),
    ]

    /// The chart of a work, if Tidelog and another engine were measured.
    private func chart(_ title: String, _ work: Target.Work) -> String? {
        guard let own = results.line(work) else { return nil }
        let bars = Self.names.compactMap { engine, name -> BarChart.Bar? in
            let lines = results.lines(work, engine: engine)
            // The other engines of the same run have as many records, or fewer if they are slow.
            guard let line = engine == "tidelog" ? own : lines.last(where: { $0.records <= own.records }) else {
                return nil
            }
            let ratio = own.ratioTo?[engine].map { String(format: " · Tidelog %.2f ×", $0) } ?? ""
            return BarChart.Bar(
                name: name, rate: line.opsPerSecond, text: Readable.rate(line.opsPerSecond) + ratio,
                isOwn: line.isOwn)
        }
        guard bars.count > 1 else { return nil }
        return "<h3>\(Report.escaped(title))</h3>\n" + BarChart(title: title, bars: bars).html
    }

    // MARK: - Losses

    /// A work in which another engine is faster.
    private struct Loss {
        let work: String
        let engine: String
        let ratio: Double
    }

    private var losses: String {
        let all = found.sorted { $0.ratio < $1.ratio }
        guard !all.isEmpty else {
            return results.lines.contains { $0.ratioTo != nil }
                ? "<p>Tidelog is not slower than another engine in any work that was measured.</p>" : ""
        }
        let rows = all.map { loss in
            """
            <tr><td class="left">\(Report.escaped(loss.work))<td class="left">\(Report.escaped(loss.engine))\
            <td>\(Readable.ratio(loss.ratio))
            """
        }
        return """
            <h2>Where Tidelog is slower</h2>
            <div class="scroll"><table><tr><th class="left">work<th class="left">than<th>Tidelog’s rate
            \(rows.joined(separator: "\n"))</table></div>
            """
    }

    private var found: [Loss] {
        Chapter.all(results).flatMap { chapter in
            chapter.lines.filter(\.isOwn).flatMap { line in
                (line.ratioTo ?? [:]).compactMap { engine, ratio in
                    // Tidelog in another setting is no other engine.
                    guard ratio < 1, !engine.hasPrefix("tidelog") else { return nil }
                    let work = line.engine == "tidelog" ? chapter.title : "\(chapter.title) · \(line.engine)"
                    return Loss(work: work, engine: engine, ratio: ratio)
                }
            }
        }
    }
}
