internal import Synchronization
internal import TidelogSync

/// A progress bar of a sync engine's status.
final class SyncProgress: Sendable {
    private let bar: Mutex<ProgressBar>

    init(on console: Console) { bar = Mutex(ProgressBar("Syncing", unit: "record", on: console)) }

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
