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
        let line = ProgressLine(label: label, unit: unit, count: count, fraction: fraction, elapsed: elapsed)
        // Some terminals begin a new line after the last column, so it stays free.
        let text = line.text(fitting: (console.messageColumns ?? 80) - 1, console.messageStyle)
        console.write(isTerminal ? "\r\u{1B}[2K\(text)" : text + "\n")
        wasDrawn = true
    }
}
