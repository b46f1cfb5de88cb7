internal import Dispatch
internal import Synchronization

#if canImport(Glibc)
    internal import Glibc
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Darwin
#endif

/// The only part that appends. It takes all queued writes as one group, runs them in order in a serial section, syncs once
/// and only then resumes the callers.
final class Writer: Sendable {
    private let queue = Mutex(Queue())
    private let section: SerialSection
    private let thread: Mutex<WriterThread?>
    private let runsInline: Bool
    /// The thread in the serial section, 0 for none.
    private let threadAtWork = Atomic<UInt>(0)

    private struct Queue {
        var writes = WriteQueue()
        /// What is to run between groups.
        var exclusive: [ExclusiveWork] = []
        /// Whether someone is in the serial section or on the way to it.
        var isRunning = false
        /// Whether the rows will be mended after a pause.
        var isMendingDue = false
        /// Whether the rows will take in what they lack after a pause.
        var isProjectionDue = false
        /// Why the writer takes nothing any more, once it is closed.
        var end: DataStoreError?
    }

    /// - Parameter runsInline: Whether a caller who finds nobody at work enters the serial section itself. Right if
    ///   its writes sync nothing, since a sync would block a thread of the cooperative pool.
    init(_ section: SerialSection, runsInline: Bool) {
        self.section = section
        self.runsInline = runsInline
        thread = Mutex(nil)
    }

    func start() {
        guard !runsInline else { return }
        // Unowned: the writer's owner closes it first, and closing ends the thread.
        let thread = WriterThread { [unowned self] in drain() }
        self.thread.withLock { $0 = thread }
        thread.start()
    }

    /// Runs `body` as one commit.
    ///
    /// - Parameter byteCount: What the write counts while it waits.
    nonisolated(nonsending) func write<Value: Sendable>(
        byteCount: Int = Limits.estimatedWriteByteCount, _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> (result: Value, commit: Commit) {
        try Task.checkCancellation()
        let cancellation = PendingWrite.Cancellation()
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                var result: Value?
                submit(
                    PendingWrite(cancellation: cancellation, byteCount: byteCount) { transaction in
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
            queue.withLock { $0.writes.removeWaiting(cancelledBy: cancellation) }?.resume(.failure(CancellationError()))
        }
    }

    private func submit(_ write: PendingWrite) {
        if let reason = enqueue(isShort: true, { $0.writes.append(write) }) { write.resume(.failure(reason)) }
    }

    /// What the writes count that have room, and how many others there are.
    var load: (byteCount: Int, waitingCount: Int) {
        queue.withLock { ($0.writes.byteCount, $0.writes.waitingCount) }
    }

    /// Runs `body` in the serial section between two groups: nobody writes meanwhile. Keep it short.
    func exclusively<Value: Sendable>(
        _ body: @escaping @Sendable (SerialSection) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        return try await withUnsafeThrowingContinuation { continuation in
            let work = ExclusiveWork { [section] in
                continuation.resume(with: Result { try body(section) })
            } refuse: {
                continuation.resume(throwing: $0)
            }
            if let reason = enqueue({ $0.exclusive.append(work) }) { work.refuse(reason) }
        }
    }

    /// Adds to the queue and has someone work it off; returns why it is refused, if it is.
    ///
    /// - Parameter isShort: Whether it is a write, which the caller's thread may do
    ///   if the log has room for it; other work may sync.
    private func enqueue(isShort: Bool = false, _ add: (inout Queue) -> Void) -> DataStoreError? {
        let (reason, leads) = queue.withLock { queue -> (DataStoreError?, Bool) in
            if let reason = queue.end { return (reason, false) }
            add(&queue)
            defer { queue.isRunning = true }
            return (nil, !queue.isRunning)
        }
        if leads {
            if let thread = thread.withLock({ $0 }) {
                thread.wake()
            } else if isShort, section.log.takesGroupsAtOnce {
                runOwn()
            } else {
                DispatchQueue.global().async { [self] in _ = drain() }
            }
        }
        return reason
    }

    /// Whether the calling thread is in the serial section.
    var isAtWorkHere: Bool { threadAtWork.load(ordering: .relaxed) == Self.currentThread }

    private static var currentThread: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    /// Runs groups until nothing waits. Returns whether the thread is to live on.
    private func drain() -> Bool {
        threadAtWork.store(Self.currentThread, ordering: .relaxed)
        defer { _ = threadAtWork.compareExchange(expected: Self.currentThread, desired: 0, ordering: .relaxed) }
        while true {
            let (members, work) = queue.withLock { queue -> ([PendingWrite], ExclusiveWork?) in
                let members = queue.writes.takeGroup()
                if members.isEmpty, queue.exclusive.isEmpty { queue.isRunning = false }
                return (members, queue.exclusive.isEmpty ? nil : queue.exclusive.removeFirst())
            }
            if members.isEmpty, work == nil { return queue.withLock { $0.end == nil } }
            if !members.isEmpty { section.run(members) }
            work?.run()
            lookAfterRows()
        }
    }

    /// Runs the first group, which is the caller's, on its thread, and leaves what came meanwhile to another.
    private func runOwn() {
        threadAtWork.store(Self.currentThread, ordering: .relaxed)
        section.run(queue.withLock { $0.writes.takeGroup() })
        lookAfterRows()
        _ = threadAtWork.compareExchange(expected: Self.currentThread, desired: 0, ordering: .relaxed)
        let isMoreDue = queue.withLock { queue in
            queue.isRunning = queue.writes.endGroup() || !queue.exclusive.isEmpty
            return queue.isRunning
        }
        if isMoreDue { DispatchQueue.global().async { [self] in _ = drain() } }
    }

    /// Has rows that lack events follow the log soon. Called in the serial section.
    private func lookAfterRows() {
        if section.rows.mendingPause != nil { mendRows() }
        if section.rows.isBehind { projectSoon() }
    }

    /// Has the rows follow the log again, at once and then after pauses, until they do. Called in the serial section.
    private func mendRows() {
        // Inline, the thread is a caller's, and not to be kept from its caller.
        if !runsInline, section.rows.mendingPause == .zero { try? section.rows.mend() }
        guard let pause = section.rows.mendingPause else { return }
        run(after: pause, once: \.isMendingDue) { try? $0.rows.mend() }
    }

    /// How long the rows may lack events if nobody asks for them: other processes see their rows only then.
    private static let projectionPause = Duration.milliseconds(20)

    /// Has the rows take in what they lack, at the latest after a pause. Called in the serial section.
    private func projectSoon() {
        run(after: Self.projectionPause, once: \.isProjectionDue) { $0.rows.projectOrLose() }
    }

    /// Runs `body` in the serial section after `pause`, unless it is due already as `isDue` says.
    private func run(
        after pause: Duration, once isDue: any WritableKeyPath<Queue, Bool> & Sendable,
        _ body: @escaping @Sendable (SerialSection) -> Void
    ) {
        let isFirst = queue.withLock { queue in
            guard queue.end == nil, !queue[keyPath: isDue] else { return false }
            queue[keyPath: isDue] = true
            return true
        }
        guard isFirst else { return }
        let work = ExclusiveWork { [self] in
            queue.withLock { $0[keyPath: isDue] = false }
            body(section)
        } refuse: { _ in
        }
        DispatchQueue.global().asyncAfter(deadline: .now() + pause / .seconds(1)) { [self] in
            _ = enqueue { $0.exclusive.append(work) }
        }
    }

    /// Refuses writes from now on, finishes those that wait, and ends the thread. Blocks for as long as that takes.
    func close() {
        let isFirst = queue.withLock { queue in
            defer { queue.end = queue.end ?? .closed }
            return queue.end == nil || queue.end?.code == .storeCleared
        }
        guard isFirst else { return }
        if let thread = thread.withLock({ $0 }) {
            thread.wake()
            thread.join()
            self.thread.withLock { $0 = nil }
        } else {
            while queue.withLock({ $0.isRunning }) { Blocking.pause(microseconds: 100) }
        }
    }

    /// Refuses what is queued, and everything from now on, with `reason`. Called in the serial section.
    func refuse(_ reason: DataStoreError) {
        let (writes, works) = queue.withLock { queue -> ([PendingWrite], [ExclusiveWork]) in
            defer {
                queue.exclusive = []
                queue.end = queue.end ?? reason
            }
            return (queue.writes.takeAll(), queue.exclusive)
        }
        for write in writes { write.resume(.failure(reason)) }
        for work in works { work.refuse(reason) }
    }

    /// Why nothing more is written, once a sync of the log failed. Asked after ``close()``.
    var poison: DataStoreError? { section.poison }
}

/// What runs in the serial section between two groups.
struct ExclusiveWork: Sendable {
    let run: @Sendable () -> Void
    let refuse: @Sendable (DataStoreError) -> Void

    init(run: @escaping @Sendable () -> Void, refuse: @escaping @Sendable (DataStoreError) -> Void) {
        self.run = run
        self.refuse = refuse
    }
}
