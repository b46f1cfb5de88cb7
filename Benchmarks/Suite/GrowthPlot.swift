import Foundation

/// A chart of the rate of each step of growing stores, with one curve per engine.
struct GrowthPlot {
    private let steps: [ResultLine]

    private static let width = 900.0
    private static let height = 280.0
    private static let left = 80.0
    private static let right = 110.0
    private static let top = 14.0
    private static let bottom = 34.0

    init(_ steps: [ResultLine]) { self.steps = steps }

    private var engines: [String] {
        steps.reduce(into: []) { names, line in
            if !names.contains(line.engine) { names.append(line.engine) }
        }
    }

    var svg: String {
        guard let most = steps.map(\.opsPerSecond).max(), let largest = steps.map(\.records).max(), most > 0 else {
            return ""
        }
        func x(_ records: Double) -> Double {
            Self.left + records / Double(largest) * (Self.width - Self.left - Self.right)
        }
        func y(_ rate: Double) -> Double {
            Self.height - Self.bottom - rate / (most * 1.05) * (Self.height - Self.top - Self.bottom)
        }
        var shapes = grid(most, x, y)
        for engine in engines {
            let line = steps.filter { $0.engine == engine }
            let color = engine == "tidelog" ? "var(--own)" : "var(--other)"
            let points = line.map { (x(Double($0.records)), y($0.opsPerSecond)) }
            let path = points.map { String(format: "%.1f,%.1f", $0.0, $0.1) }.joined(separator: " ")
            shapes.append(
                "<polyline points=\"\(path)\" style=\"fill:none;stroke:\(color);stroke-width:2.5\"/>")
            for point in points {
                shapes.append(
                    String(
                        format: "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" style=\"fill:\(color)\"/>", point.0, point.1)
                )
            }
            if let last = points.last {
                shapes.append(String(format: "<text x=\"%.1f\" y=\"%.1f\">\(engine)</text>", last.0 + 8, last.1 + 4))
            }
        }
        if let first = steps.first(where: { $0.engine == "tidelog" }) {
            let half = y(first.opsPerSecond / 2)
            shapes.append(
                String(
                    format: """
                        <line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" style="stroke:var(--must)" stroke-dasharray="5 3"/>
                        <text class="small" x="%.1f" y="%.1f">must: half of tidelog’s first step</text>
                        """, Self.left, Self.width - Self.right, half, half, Self.left + 6, half - 5))
        }
        return """
            <svg viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" width="\(Int(Self.width))" role="img" \
            aria-label="Rate while the store grows">
            \(shapes.joined(separator: "\n"))
            </svg>
            """
    }

    /// The grid lines for rates and numbers of records.
    private func grid(_ most: Double, _ x: (Double) -> Double, _ y: (Double) -> Double) -> [String] {
        let rates = (0...4).map { most * Double($0) / 4 }
        let lines = rates.map { rate in
            String(
                format: """
                    <line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f" style="stroke:var(--line)"/>
                    <text class="small" x="%.1f" y="%.1f" text-anchor="end">\(Readable.rate(rate))</text>
                    """, Self.left, Self.width - Self.right, y(rate), y(rate), Self.left - 8, y(rate) + 4)
        }
        let counts = Set(steps.map(\.records)).sorted().map { count in
            String(
                format:
                    "<text class=\"small\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">\(Readable.count(count))</text>",
                x(Double(count)), Self.height - 12)
        }
        return lines + counts
    }
}
