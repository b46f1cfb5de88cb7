internal import Synchronization
internal import TidelogSync

/// A progress bar that the sync engine may tell from any thread what it does.
final class SyncProgress: Sendable {
    private struct State {
        var bar: ProgressBar
        var count = 0
    }

    private let state: Mutex<State>

    init(on console: Console) { state = Mutex(State(bar: ProgressBar("Syncing", unit: "record", on: console))) }

    func note(_ notice: SyncNotice) {
        let count =
            switch notice {
            case .received(_, let count), .sent(let count): count
            case .report, .failed: 0
            }
        guard count > 0 else { return }
        state.withLock { state in
            state.count += count
            state.bar.update(state.count, fraction: nil)
        }
    }

    /// Goes to the next line, if something was drawn.
    func leave() { state.withLock { $0.bar.leave() } }
}
