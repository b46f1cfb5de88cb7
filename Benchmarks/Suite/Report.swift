import Foundation

/// A self-contained HTML page of results: three works next to other engines, the works in which Tidelog is slower, targets, and
/// a table and a plot for each workload. It shows only measured lines.
struct Report {
    let results: Results

    func write(to file: String) throws {
        guard FileManager.default.createFile(atPath: file, contents: Data(html.utf8)) else {
            throw UsageError("\(file) cannot be written")
        }
    }

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <title>Tidelog benchmarks</title>
        <style>\(Self.style)</style>
        <h1>Tidelog benchmarks</h1>
        \(machines)
        \(Highlights(results).html)
        \(targets)
        \(workloads)
        \(commands)
        </html>

        """
    }

    private static let style = """
        :root { color-scheme: light dark; --ink: #1b2733; --soft: #5b6b7b; --line: #d5dde5; --own: #0b7285;
          --other: #a9b8c6; --must: #c92a2a; --met: #2b8a3e; --page: #fff; }
        @media (prefers-color-scheme: dark) { :root { --ink: #e3eaf1; --soft: #9aa9b8; --line: #34424f; --own: #3bc9db;
          --other: #5c6f80; --must: #ff8787; --met: #69db7c; --page: #10181f; } }
        body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--page); max-width: 68rem;
          margin: 2rem auto; padding: 0 1rem; }
        h1 { margin-bottom: .2rem; } h2 { margin: 2.2rem 0 .4rem; font-size: 1.15rem; }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100%; font-size: .86rem; }
        th, td { text-align: right; padding: .2rem .6rem; border-bottom: 1px solid var(--line); white-space: nowrap; }
        th { color: var(--soft); font-weight: 500; } .left { text-align: left; white-space: normal; }
        .own { font-weight: 600; } .met { color: var(--met); } .missed { color: var(--must); font-weight: 600; }
        .soft { color: var(--soft); } .scroll { overflow-x: auto; } svg { display: block; max-width: 100%; margin: .6rem 0; }
        .left:first-child { position: sticky; left: 0; background: var(--page); } th:first-child { white-space: nowrap; }
        h3 { margin: 1.2rem 0 .3rem; font-size: 1rem; font-weight: 600; } .scroll svg { min-width: 40rem; }
        .bars { margin: .6rem 0; font-size: .86rem; font-variant-numeric: tabular-nums; }
        .bar { display: grid; grid-template-columns: 13rem 1fr 13rem; gap: .1rem .7rem; align-items: center; margin: .3rem 0; }
        .bar span:first-child { text-align: right; } .track { position: relative; height: 1.2rem; }
        .track b { display: block; height: 100%; border-radius: 2px; background: var(--other); }
        .bar.own b { background: var(--own); } i.must { border-left: 2px dashed var(--must); }
        .track i.must { position: absolute; top: -.25rem; bottom: -.25rem; }
        .legend { margin: .3rem 0 0; } .legend i.must { padding-right: .5rem; }
        @media (max-width: 700px) {
          .bar { grid-template-columns: 1fr auto; } .bar span:first-child { text-align: left; }
          .bar .track { grid-row: 2; grid-column: 1 / 3; }
        }
        svg text { font: 12px system-ui, sans-serif; fill: var(--ink); } svg .small { fill: var(--soft); font-size: 11px; }
        svg .clear { paint-order: stroke; stroke: var(--page); stroke-width: 4px; }
        code { font-size: .8rem; overflow-wrap: anywhere; }
        """

    // MARK: - Sections

    private var machines: String {
        guard let machine = results.machines.last else {
            return "<p class=\"soft\">Measured on an unknown machine.</p>"
        }
        let facts = machine.facts.map { "\($0): \(Self.escaped($1))" }.joined(separator: " · ")
        let dates = [results.machines.first?.date, machine.date].compactMap { $0 }
        let days = dates.first == dates.last ? machine.date : dates.joined(separator: " – ")
        return "<p class=\"soft\">\(days)<br>\(facts)</p>"
    }

    private var commands: String {
        let lines = results.machines.map { "<code>\(Self.escaped($0.command))</code>" }
        return lines.isEmpty ? "" : "<h2>Command lines</h2><p>\(lines.joined(separator: "<br>"))</p>"
    }

    private var targets: String {
        let measured = results.outcomes.filter { $0.isMet != nil }
        let rows = measured.map { outcome in
            let style = outcome.isMet.map { $0 ? "met" : "missed" } ?? "soft"
            return """
                <tr><td class="left">\(Self.escaped(outcome.target.name))<td>\(Self.escaped(outcome.target.must))\
                <td>\(Self.escaped(outcome.measured))<td class="\(style)">\(outcome.verdict)
                """
        }
        guard !rows.isEmpty else { return "" }
        let others = results.outcomes.count - rows.count
        let rest = others == 0 ? "" : "<p class=\"soft\">\(others) further targets were not measured.</p>"
        return """
            <h2>Targets</h2>
            <div class="scroll"><table><tr><th class="left">work<th>must<th>measured<th>
            \(rows.joined(separator: "\n"))</table></div>
            \(rest)
            """
    }

    private var workloads: String { Chapter.all(results).map(section).joined(separator: "\n") }

    private func section(_ chapter: Chapter) -> String {
        let columns = chapter.columns.enumerated().map { "<th\($0 == 0 ? " class=\"left\"" : "")>\($1)" }
        let rows = chapter.lines.map { line in
            let cells = line.row.enumerated().map { "<td\($0 == 0 ? " class=\"left\"" : "")>\(Self.escaped($1))" }
            let name = line.isOwn ? "<tr class=\"own\">" : "<tr>"
            return name + cells.joined()
        }
        let remarks = chapter.lines.filter { !$0.remarks.isEmpty }.map { line in
            "<br>\(line.engine): \(Self.escaped(line.remarks.joined(separator: ", ")))"
        }
        let plot =
            chapter.steps.isEmpty
            ? BarChart(chapter).html : "<div class=\"scroll\">\(GrowthPlot(chapter.steps).svg)</div>"
        return """
            <h2>\(Self.escaped(chapter.title))</h2>
            \(plot)
            <div class="scroll"><table><tr>\(columns.joined())
            \(rows.joined(separator: "\n"))</table></div>
            <p class="soft">\(chapter.summary)\(remarks.joined())</p>
            """
    }

    static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}

/// The content of one section of the report: the lines of one comparison.
struct Chapter {
    var lines: [ResultLine] = []
    /// The steps of a growing store.
    var steps: [ResultLine] = []

    static func all(_ results: Results) -> [Chapter] {
        var order: [[String]] = []
        var chapters: [[String]: Chapter] = [:]
        for entry in results.entries {
            let line = entry.line
            let isGrowth = line.workload == Workload.growth.rawValue
            let key = isGrowth ? [line.workload, entry.adapter] : line.comparison + [entry.adapter]
            if chapters[key] == nil { order.append(key) }
            if line.step == nil {
                chapters[key, default: Chapter()].lines.append(line)
            } else {
                chapters[key, default: Chapter()].steps.append(line)
            }
        }
        return order.compactMap { chapters[$0] }
    }

    private var first: ResultLine? { lines.first ?? steps.first }

    var columns: [String] { first?.columns ?? [] }

    var title: String {
        guard let first else { return "" }
        if first.workload == Workload.codec.rawValue { return first.workload }
        var parts = [first.workload, first.durability]
        if first.engine == "tidelog" { parts.append("\(first.adapter) adapter") }
        if first.workload != Workload.savers.rawValue { parts.append("batch \(Readable.count(first.batch))") }
        if first.savers > 1 { parts.append("\(first.savers) savers") }
        return parts.joined(separator: " · ")
    }

    var summary: String {
        guard let first else { return "" }
        let bytes = String(format: "%.0f", first.bytesPerRecord)
        return "\(Readable.count(first.records)) records of \(bytes) bytes, \(first.rounds) rounds, medians"
    }
}
