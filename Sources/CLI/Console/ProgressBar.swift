/// A progress bar on standard error. A terminal gets one line that is redrawn; other outputs get a new line now and then.
struct ProgressBar {
    private let label: String
    /// The noun for the counted units, in the singular.
    private let unit: String
    private let console: Console
    private let isDrawn: Bool
    private let isTerminal: Bool
    private let start = ContinuousClock.now
    private var nextDrawing = ContinuousClock.now
    private var wasDrawn = false

    init(_ label: String, unit: String, on console: Console) {
        self.label = label
        self.unit = unit
        self.console = console
        isDrawn = console.showsProgress
        isTerminal = console.isDrawnOver
    }

    /// Shows that `count` units are done. They are `fraction` of all units, if the total is known.
    mutating func update(_ count: Int, fraction: Double?) {
        guard isDrawn else { return }
        let now = ContinuousClock.now
        guard now >= nextDrawing else { return }
        nextDrawing = now + (isTerminal ? .milliseconds(80) : .seconds(1))
        draw(count, fraction, elapsed: (now - start).seconds)
    }

    /// Shows the last state and begins a new line.
    mutating func finish(_ count: Int, fraction: Double? = 1) {
        guard isDrawn else { return }
        draw(count, fraction, elapsed: (ContinuousClock.now - start).seconds)
        if isTerminal { console.write("\n") }
        wasDrawn = false
    }

    /// Begins a new line, so that a message can follow.
    mutating func leave() {
        if isTerminal, wasDrawn { console.write("\n") }
        wasDrawn = false
    }

    private mutating func draw(_ count: Int, _ fraction: Double?, elapsed: Double) {
        let style = console.messageStyle
        var text = "\(label) "
        if let fraction {
            let filled = Int((min(max(fraction, 0), 1) * 24).rounded())
            text += style.cyan(String(repeating: "━", count: filled))
            text += style.dim(String(repeating: "─", count: 24 - filled))
            text += " \((fraction * 100).fixed(0).padded(to: 3, right: true))% "
        }
        text += " \(counted(count, unit))"
        if elapsed > 0 { text += "  \((Double(count) / elapsed).fixed(0))/s" }
        if let fraction, fraction > 0.02, fraction < 1 {
            text += "  \(Duration.seconds(elapsed / fraction * (1 - fraction)).left) left"
        }
        console.write(isTerminal ? "\r\u{1B}[2K\(text)" : text + "\n")
        wasDrawn = true
    }
}

extension Duration {
    fileprivate var left: String { seconds < 1 ? "under 1 s" : seconds < 100 ? "\(seconds.fixed(0)) s" : short }
}
