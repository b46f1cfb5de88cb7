import Observation
import TestStores
import TestWaiting
import Testing
import Tidelog
import TidelogObservation
import TidelogSynchronization

/// Frames that a test draws by hand.
final class ManualFrames: Sendable {
    private struct State {
        var number = 0
        var waiting: [Int: CheckedContinuation<Void, any Error>] = [:]
        var cancelled: Set<Int> = []
    }

    private let state = Mutex(State())

    /// A pace whose frames come when the test draws them.
    var pacing: FramePacing { FramePacing { try await self.wait() } }

    /// Waits until an object wants the next frame, and draws it. Returns false if the object does not want a frame in time.
    func draw() async throws {
        try await eventually("an object has shown a result and waits for a frame") { drawIfWanted() }
    }

    /// Draws a frame if an object wants one. Returns whether it did.
    func drawIfWanted() -> Bool {
        let waiting = state.withLock { state in
            defer { state.waiting = [:] }
            return Array(state.waiting.values)
        }
        for continuation in waiting { continuation.resume() }
        return !waiting.isEmpty
    }

    private func wait() async throws {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state.withLock { state in
                    if state.cancelled.contains(number) { return true }
                    state.waiting[number] = continuation
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.cancelled.insert(number)
                return state.waiting.removeValue(forKey: number)
            }
            continuation?.resume(throwing: CancellationError())
        }
    }
}

/// An observer that reads a value again after each notification, as a view does.
@MainActor
final class Watcher<Value: Sendable> {
    /// The values that the observer read: one at the beginning, and one for each notification.
    private(set) var seen: [Value] = []
    private let read: @MainActor () -> Value

    init(_ read: @escaping @MainActor () -> Value) {
        self.read = read
        look()
    }

    private func look() {
        let value = withObservationTracking(read) { [weak self] in
            Task { @MainActor in self?.look() }
        }
        seen.append(value)
    }
}

extension LiveRecords.Phase {
    /// The name of the phase.
    var name: String {
        switch self {
        case .idle: "idle"
        case .loading: "loading"
        case .live: "live"
        case .failed: "failed"
        }
    }
}

extension LiveRecords {
    /// Waits until the object shows the first result of its query.
    func live() async throws { try await eventually("the query has a result") { phase.name == "live" } }
}

/// Notes with the numbers of `range`. The rating of a note is its number.
func notes(_ range: ClosedRange<Int>) -> [Note] {
    range.map { Note(id: "\($0)", title: "Note \($0)", rating: $0) }
}
