internal import Synchronization
internal import Tidelog

/// A progress bar that any thread may update with the part of the log that was read.
final class SharedProgress: Sendable {
    private let bar: Mutex<ProgressBar>

    init(_ label: String, on console: Console) { bar = Mutex(ProgressBar(label, unit: "event", on: console)) }

    func update(_ progress: RebuildProgress) {
        let fraction = Double(progress.sequence.value) / Double(max(1, progress.head.value))
        bar.withLock { $0.update(Int(progress.sequence.value), fraction: min(1, fraction)) }
    }

    /// Begins a new line, if something was drawn.
    func leave() { bar.withLock { $0.leave() } }
}
