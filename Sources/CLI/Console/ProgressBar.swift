internal import Tidelog
internal import TidelogRecordText
internal import TidelogSync
internal import TidelogSynchronization

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

extension ProgressBar {
    /// A progress bar that any thread may update.
    final class Shared: Sendable {
        private let bar: Mutex<ProgressBar>

        init(_ label: String, unit: String = "event", on console: Console) {
            bar = Mutex(ProgressBar(label, unit: unit, on: console))
        }

        /// Calls `body` with a progress bar, and begins a new line afterwards.
        static func showing<Result>(
            _ label: String, on console: Console, during body: (Shared) async throws -> Result
        ) async rethrows -> Result {
            let progress = Shared(label, on: console)
            defer { progress.leave() }
            return try await body(progress)
        }

        /// Shows the part of the log that was read.
        func update(_ progress: RebuildProgress) {
            let fraction = Double(progress.sequence.value) / Double(max(1, progress.head.value))
            bar.withLock { $0.update(Int(progress.sequence.value), fraction: min(1, fraction)) }
        }

        /// Draws each status of the engine until the task is cancelled.
        func follow(_ engine: SyncEngine) async {
            for await status in engine.statuses { show(status) }
        }

        private func show(_ status: SyncStatus) {
            let count = status.received + status.sent
            guard count > 0, status.fractionCompleted < 1, status.isOnline else { return }
            bar.withLock { $0.update(count, fraction: status.fractionCompleted) }
        }

        /// Begins a new line, if something was drawn.
        func leave() { bar.withLock { $0.leave() } }
    }
}

/// One line of progress: a label, a bar, the part that is done, a count, a rate and the time that is left.
private struct ProgressLine {
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
    func text(fitting width: Int, _ style: Console.Style) -> String {
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

    private func bar(_ width: Int, _ style: Console.Style) -> String {
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
