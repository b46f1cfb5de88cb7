/// One line of progress: a label, a bar, the part that is done, a count, a rate and the time that is left.
struct ProgressLine {
    let label: String
    /// The noun for the counted units, in the singular.
    let unit: String
    let count: Int
    /// The part of all units that is done, `nil` if the total is not known.
    let fraction: Double?
    /// The seconds since the beginning.
    let elapsed: Double

    private static let longestBar = 24
    private static let shortestBar = 8

    /// The line in at most `width` columns. If there is too little room, the bar becomes shorter. Then the rate, the time
    /// that is left, the bar and the count are left out, and at last the label is cut.
    func text(fitting width: Int, _ style: Style) -> String {
        let share = fraction.map { "\((min(max($0, 0), 1) * 100).fixed(0).padded(to: 3, right: true))%" }
        let units = counted(count, unit)
        let rate = elapsed > 0 ? "\((Double(count) / elapsed).fixed(0))/s" : nil
        let choices = [
            [share, units, rate, left], [share, units, left], [share, units], [share, count.grouped],
        ].map { $0.compactMap { $0 } }
        for (index, choice) in choices.enumerated() {
            let rest = choice.joined(separator: "  ")
            let room = width - label.columnCount - rest.columnCount - 1
            guard room >= 0 else { continue }
            // The bar takes its own columns and a space.
            let barWidth = min(room - 1, Self.longestBar)
            if fraction != nil, barWidth >= Self.shortestBar { return "\(label) \(bar(barWidth, style)) \(rest)" }
            // Without room for a bar, fewer parts may leave more room for it.
            if fraction != nil, index + 1 < choices.count - 1 { continue }
            return "\(label) \(rest)"
        }
        let end = share ?? count.grouped
        return "\(label.fitted(to: max(1, width - end.columnCount - 1))) \(end)"
    }

    private func bar(_ width: Int, _ style: Style) -> String {
        let filled = Int((min(max(fraction ?? 0, 0), 1) * Double(width)).rounded())
        return style.cyan(String(repeating: "━", count: filled))
            + style.dim(String(repeating: "─", count: width - filled))
    }

    /// The time that is left, if it can be estimated.
    private var left: String? {
        guard let fraction, fraction > 0.02, fraction < 1 else { return nil }
        let time = Duration.seconds(elapsed / fraction * (1 - fraction))
        let seconds = time.seconds
        return "\(seconds < 1 ? "under 1 s" : seconds < 100 ? "\(seconds.fixed(0)) s" : time.short) left"
    }
}
