internal import Synchronization

/// Gives the events and the status of an engine to any number of receivers.
final class SyncBroadcast: Sendable {
    private struct State {
        var status: SyncStatus
        var events: [UInt64: EventReceiver] = [:]
        var statuses: [UInt64: AsyncStream<SyncStatus>.Continuation] = [:]
        var receiverCount: UInt64 = 0
        /// The receiver of the events before the first call of ``SyncBroadcast/events()``.
        var first: (receiver: UInt64, stream: AsyncStream<SyncEvent>)?
        var isOver = false
    }

    private let state: Mutex<State>

    init(_ status: SyncStatus) {
        var state = State(status: status)
        // An engine may start before the app can ask for its events.
        let (stream, receiver) = EventReceiver.make()
        state.events[0] = receiver
        state.first = (0, stream)
        self.state = Mutex(state)
    }

    // MARK: Events

    /// Whether there is a receiver. If there is none, an event need not be made.
    var isHeard: Bool {
        state.withLock { state in
            guard let first = state.first?.receiver else { return !state.events.isEmpty }
            // Nobody reads from the first receiver before it is asked for.
            return state.events.count > 1 || !(state.events[first]?.isFull ?? true)
        }
    }

    func send(_ event: SyncEvent) {
        state.withLock { state in
            for receiver in state.events.keys { state.events[receiver]?.send(event) }
        }
    }

    /// Takes note of events that were not made, as there was no receiver with room for them.
    func skip(_ count: Int) {
        state.withLock { state in
            for receiver in state.events.keys { state.events[receiver]?.missedCount += count }
        }
    }

    /// A receiver of all events from now on. The first one also gets those since the engine was made.
    func events() -> AsyncStream<SyncEvent> {
        let (stream, number, continuation) = state.withLock { state in
            if let first = state.first.take() {
                return (first.stream, first.receiver, state.events[first.receiver]?.continuation)
            }
            let (stream, receiver) = EventReceiver.make()
            state.receiverCount += 1
            if state.isOver {
                receiver.continuation.finish()
            } else {
                state.events[state.receiverCount] = receiver
            }
            return (stream, state.receiverCount, receiver.continuation)
        }
        continuation?.onTermination = { [weak self] _ in
            self?.state.withLock { $0.events[number] = nil }
        }
        return stream
    }

    // MARK: Status

    var status: SyncStatus { state.withLock { $0.status } }

    func update(_ status: SyncStatus) {
        state.withLock { state in
            state.status = status
            for continuation in state.statuses.values { continuation.yield(status) }
        }
    }

    /// A receiver of the status as it is, and of each later one. A slow receiver gets the latest one.
    func statuses() -> AsyncStream<SyncStatus> {
        let (stream, continuation) = AsyncStream.makeStream(of: SyncStatus.self, bufferingPolicy: .bufferingNewest(1))
        let number = state.withLock { state in
            state.receiverCount += 1
            continuation.yield(state.status)
            if state.isOver {
                continuation.finish()
            } else {
                state.statuses[state.receiverCount] = continuation
            }
            return state.receiverCount
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { $0.statuses[number] = nil }
        }
        return stream
    }

    /// Ends every receiver, as the engine is gone.
    func finish() {
        let (events, statuses) = state.withLock { state in
            defer { (state.isOver, state.events, state.statuses) = (true, [:], [:]) }
            return (state.events.values.map(\.continuation), Array(state.statuses.values))
        }
        // A receiver that ends asks for the lock.
        for continuation in events { continuation.finish() }
        for continuation in statuses { continuation.finish() }
    }
}

/// One receiver of events, and how many events it has missed.
private struct EventReceiver {
    /// How many events wait for a receiver at most.
    private static let maximumWaiting = 1_000

    let continuation: AsyncStream<SyncEvent>.Continuation
    var missedCount = 0
    var isFull = false

    static func make() -> (AsyncStream<SyncEvent>, EventReceiver) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: SyncEvent.self, bufferingPolicy: .bufferingOldest(maximumWaiting))
        return (stream, EventReceiver(continuation: continuation))
    }

    mutating func send(_ event: SyncEvent) {
        if missedCount > 0, put(.missed(count: missedCount)) { missedCount = 0 }
        if missedCount > 0 || !put(event) { missedCount += 1 }
    }

    private mutating func put(_ event: SyncEvent) -> Bool {
        if case .dropped = continuation.yield(event) {
            isFull = true
            return false
        }
        isFull = false
        return true
    }
}
