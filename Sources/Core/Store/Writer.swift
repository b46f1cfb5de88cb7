internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The one that appends. Takes everything that waits as one group, runs its members in order in a serial section, syncs
/// once, and only then lets the callers go on.
final class Writer: Sendable {
    private let queue = Mutex(Queue())
    private let group: WriterGroup
    private let thread: Mutex<WriterThread?>
    private let runsInline: Bool

    private struct Queue {
        var pending: [PendingWrite] = []
        /// Whether someone is in the serial section or on the way to it.
        var isRunning = false
        var isClosed = false
    }

    /// - Parameter runsInline: Whether a caller who finds nobody at work enters the serial section itself. Right where
    ///   nothing syncs, since a sync would block a thread of the cooperative pool.
    init(_ group: WriterGroup, runsInline: Bool) {
        self.group = group
        self.runsInline = runsInline
        thread = Mutex(nil)
    }

    func start() {
        guard !runsInline else { return }
        // Unowned: whoever owns the writer closes it first, and closing ends the thread.
        let thread = WriterThread { [unowned self] in drain() }
        self.thread.withLock { $0 = thread }
        thread.start()
    }

    /// Runs `body` as one commit.
    func write<Value: Sendable>(
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> (result: Value, commit: Commit) {
        try Task.checkCancellation()
        let cancellation = PendingWrite.Cancellation()
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                var result: Value?
                submit(
                    PendingWrite(cancellation: cancellation) { transaction in
                        result = try body(transaction)
                    } finish: { outcome in
                        continuation.resume(
                            with: outcome.map { commit in
                                guard let result else { preconditionFailure("a committed write has run") }
                                return (result, commit)
                            })
                    })
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    private func submit(_ write: PendingWrite) {
        enum Next { case nothing, lead, refuse }
        let next = queue.withLock { queue -> Next in
            if queue.isClosed { return .refuse }
            queue.pending.append(write)
            if queue.isRunning { return .nothing }
            queue.isRunning = true
            return .lead
        }
        switch next {
        case .nothing: break
        case .refuse: write.resume(.failure(DataStoreError.closed))
        case .lead:
            if let thread = thread.withLock({ $0 }) { thread.wake() } else { _ = drain() }
        }
    }

    /// Runs groups until nothing waits. Returns whether the thread is to live on.
    private func drain() -> Bool {
        while true {
            let members = queue.withLock { queue -> [PendingWrite] in
                if queue.pending.isEmpty { queue.isRunning = false }
                defer { queue.pending = [] }
                return queue.pending
            }
            if members.isEmpty { return queue.withLock { !$0.isClosed } }
            group.run(members)
        }
    }

    /// Refuses writes from now on, finishes those that wait, and ends the thread. Blocks for as long as that takes.
    func close() {
        let isFirst = queue.withLock { queue in
            defer { queue.isClosed = true }
            return !queue.isClosed
        }
        guard isFirst else { return }
        if let thread = thread.withLock({ $0 }) {
            thread.wake()
            thread.join()
            self.thread.withLock { $0 = nil }
        } else {
            while queue.withLock({ $0.isRunning }) { Self.pause() }
        }
    }

    /// Why nothing more is written, once a sync of the log failed. Asked after ``close()``.
    var poison: DataStoreError? { group.poison }

    private static func pause() { usleep(100) }
}

extension DataStoreError {
    static var closed: DataStoreError {
        DataStoreError(.closed, "The store was closed.", recovery: "Open it again.")
    }
}
