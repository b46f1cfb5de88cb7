internal import TidelogSynchronization

/// Sends the events and the status of an engine to any number of receivers.
///
/// A stream that ends takes the lock here, and its task may hold locks of the runtime that a new element needs. The lock is
/// therefore never held while a stream receives an element that a task may wait for.
final class SyncBroadcast: Sendable {
    private struct State {
        var status: SyncStatus
        var events: [UInt64: EventReceiver] = [:]
        var statuses: [UInt64: AsyncStream<SyncStatus>.Continuation] = [:]
        var receiverCount: UInt64 = 0
        /// The receiver of the events before the first call of ``SyncBroadcast/events()``.
        var first: (receiver: EventReceiver, stream: AsyncStream<SyncEvent>)?
        var isOver = false
    }

    private let state: Mutex<State>

    init(_ status: SyncStatus) {
        var state = State(status: status)
        // An engine may start before the app can ask for its events.
        let (stream, receiver) = EventReceiver.make()
        state.events[0] = receiver
        state.first = (receiver, stream)
        self.state = Mutex(state)
    }

    // MARK: Events

    private var receivers: [EventReceiver] { state.withLock { Array($0.events.values) } }

    /// Whether there is a receiver. If there is none, events need not be made.
    var isHeard: Bool {
        let (count, first) = state.withLock { ($0.events.count, $0.first?.receiver) }
        // The first receiver is read only after the app has asked for events.
        return first.map { count > 1 || !$0.isFull } ?? (count > 0)
    }

    func send(_ event: SyncEvent) {
        for receiver in receivers { receiver.send(event) }
    }

    /// Records the number of events that were not made because no receiver had room for them.
    func skip(_ count: Int) {
        guard count > 0 else { return }
        for receiver in receivers { receiver.skip(count) }
    }

    /// Makes a receiver of all events from now on. The first receiver also gets the events since the engine was made.
    func events() -> AsyncStream<SyncEvent> {
        let (stream, number, continuation) = state.withLock { state in
            if let first = state.first.take() { return (first.stream, UInt64(0), first.receiver.continuation) }
            let (stream, receiver) = EventReceiver.make()
            state.receiverCount += 1
            if state.isOver {
                receiver.continuation.finish()
            } else {
                state.events[state.receiverCount] = receiver
            }
            return (stream, state.receiverCount, receiver.continuation)
        }
        continuation.onTermination = { [weak self] _ in self?.forget(events: number) }
        return stream
    }

    private func forget(events number: UInt64) {
        // The receiver is deallocated outside of the lock.
        let receiver = state.withLock { $0.events.removeValue(forKey: number) }
        withExtendedLifetime(receiver) {}
    }

    // MARK: Status

    var status: SyncStatus { state.withLock { $0.status } }

    func update(_ status: SyncStatus) {
        let continuations = state.withLock { state in
            state.status = status
            return Array(state.statuses.values)
        }
        for continuation in continuations { continuation.yield(status) }
    }

    /// Makes a receiver of the current status and of each later one. A slow receiver gets the latest status.
    func statuses() -> AsyncStream<SyncStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncStatus.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.receiverCount += 1
            // No task can wait for the new stream yet.
            continuation.yield(state.status)
            if state.isOver {
                continuation.finish()
            } else {
                state.statuses[state.receiverCount] = continuation
            }
            return state.receiverCount
        }
        continuation.onTermination = { [weak self] _ in self?.forget(statuses: number) }
        return stream
    }

    private func forget(statuses number: UInt64) {
        let continuation = state.withLock { $0.statuses.removeValue(forKey: number) }
        withExtendedLifetime(continuation) {}
    }

    /// Ends every receiver because the engine is deallocated.
    func finish() {
        let (events, statuses) = state.withLock { state in
            defer { (state.isOver, state.events, state.statuses) = (true, [:], [:]) }
            return (Array(state.events.values), Array(state.statuses.values))
        }
        for receiver in events { receiver.continuation.finish() }
        for continuation in statuses { continuation.finish() }
    }
}

/// One receiver of events, with the number of events that it has missed.
private final class EventReceiver: Sendable {
    private struct State {
        var missedCount = 0
        var isFull = false
    }

    /// The largest number of events that wait for a receiver.
    private static let maximumWaiting = 1_000

    let continuation: AsyncStream<SyncEvent>.Continuation
    private let state = Mutex(State())

    private init(_ continuation: AsyncStream<SyncEvent>.Continuation) { self.continuation = continuation }

    static func make() -> (AsyncStream<SyncEvent>, EventReceiver) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SyncEvent.self, bufferingPolicy: .bufferingOldest(maximumWaiting))
        return (stream, EventReceiver(continuation))
    }

    var isFull: Bool { state.withLock { $0.isFull } }

    func skip(_ count: Int) { state.withLock { $0.missedCount += count } }

    func send(_ event: SyncEvent) {
        state.withLock { state in
            if state.missedCount > 0, put(.missed(count: state.missedCount), &state) { state.missedCount = 0 }
            if state.missedCount > 0 || !put(event, &state) { state.missedCount += 1 }
        }
    }

    private func put(_ event: SyncEvent, _ state: inout State) -> Bool {
        let result = continuation.yield(event)
        if case .dropped = result { state.isFull = true } else { state.isFull = false }
        return !state.isFull
    }
}
