internal import Dispatch
internal import TidelogPlatform
internal import TidelogSynchronization

/// The writer of a store. It owns the queue of writes, and the thread that works through the queue.
///
/// Only the writer appends events. It takes all queued writes as one group, and runs them in order in the serial section.
/// It then syncs once, and only after that resumes the callers.
final class Writer: Sendable {
    private let queue: Mutex<Queue>
    private let section: SerialSection
    private let thread: Mutex<WorkThread?>
    private let runsInline: Bool
    let loneCaller = LoneCaller()
    /// The thread in the serial section, 0 if there is none.
    private let threadAtWork = Atomic<UInt>(0)

    private struct Queue {
        /// Whether the writer has a thread, which must be woken after the writer was closed.
        let hasThread: Bool
        var writes = WriteQueue()
        /// Work that runs between two groups.
        var exclusive: [ExclusiveWork] = []
        /// Whether a thread is in the serial section, or is about to enter it.
        var isRunning = false
        /// Whether the rows will be mended after a pause.
        var isMendingDue = false
        /// Whether unprojected events will be projected after a pause.
        var isProjectionDue = false
        /// Whether a thread projects unprojected events, or is about to do so.
        var isProjecting = false
        /// The error for new work after the writer was closed, `nil` until then.
        var end: DataStoreError?

        /// Notes that a group has ended, and that its thread leaves the serial section. Returns false if another thread must
        /// come, because there is more work. The writer's thread must also come in order to end.
        mutating func leave() -> Bool {
            isRunning = writes.endGroup() || !exclusive.isEmpty || hasThread && end != nil
            return !isRunning
        }

        /// Refuses new work with `reason`. Returns whether the writer's thread must be woken in order to end.
        mutating func close(_ reason: DataStoreError) -> Bool {
            end = end ?? reason
            guard hasThread, !isRunning else { return false }
            isRunning = true
            return true
        }
    }

    /// - Parameter runsInline: Whether each caller may enter the serial section on its own thread if no other thread is
    ///   there. This is right if writes do not sync. If they sync, ``LoneCaller`` decides.
    init(_ section: SerialSection, runsInline: Bool) {
        self.section = section
        self.runsInline = runsInline
        queue = Mutex(Queue(hasThread: !runsInline))
        thread = Mutex(nil)
    }

    func start() {
        guard !runsInline else { return }
        // The reference is unowned, because the writer's owner closes the writer first, and closing ends the thread.
        let thread = WorkThread { [unowned self] in drain() }
        self.thread.withLock { $0 = thread }
        thread.start()
    }

    /// Runs `body` as one commit.
    ///
    /// - Parameters:
    ///   - byteCount: The size of the write for the limit of queued writes.
    ///   - freesRoom: Whether the write deletes records, so that it may use the space that is set aside.
    nonisolated(nonsending) func write<Value: Sendable>(
        byteCount: Int = Limits.estimatedWriteByteCount, freesRoom: Bool = false,
        _ body: @escaping @Sendable (StoreTransaction) throws -> Value
    ) async throws -> (result: Value, commit: Commit) {
        try Task.checkCancellation()
        let cancellation = PendingWrite.Cancellation()
        let caller = Caller(isolation: #isolation)
        return try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { continuation in
                var result: Value?
                let write = PendingWrite(cancellation: cancellation, byteCount: byteCount, freesRoom: freesRoom) {
                    transaction in
                    result = try body(transaction)
                } finish: { outcome in
                    continuation.resume(
                        with: outcome.map { commit in
                            guard let result else { preconditionFailure("a committed write has run") }
                            return (result, commit)
                        })
                }
                let reason = enqueue(from: caller) { $0.writes.append(write) }
                if let reason { write.refuse(reason) }
            }
        } onCancel: {
            cancellation.cancel()
            queue.withLock { $0.writes.removeWaiting(cancelledBy: cancellation) }?.refuse(CancellationError())
        }
    }

    /// Runs each of `bodies` as one commit. The commits follow each other, and they are one group unless the group would be too
    /// large. A body that fails has no effect on the other commits.
    ///
    /// - Parameter byteCount: The size of each write for the limit of queued writes.
    func writeEach<Value: Sendable>(
        byteCount: Int = Limits.estimatedWriteByteCount, _ bodies: [@Sendable (StoreTransaction) throws -> Value]
    ) async throws -> [Result<(result: Value, commit: Commit), any Error>] {
        try Task.checkCancellation()
        guard !bodies.isEmpty else { return [] }
        let cancellation = PendingWrite.Cancellation()
        return await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                let ends = WriteEnds<Value>(count: bodies.count) { continuation.resume(returning: $0) }
                let writes = bodies.enumerated().map { index, body in
                    var result: Value?
                    return PendingWrite(cancellation: cancellation, byteCount: byteCount) { transaction in
                        result = try body(transaction)
                    } finish: { outcome in
                        ends.note(
                            index,
                            outcome.map { commit in
                                guard let result else { preconditionFailure("a committed write has run") }
                                return (result, commit)
                            })
                    }
                }
                let reason = enqueue(from: .task) { queue in
                    for write in writes { queue.writes.append(write) }
                }
                if let reason { for write in writes { write.refuse(reason) } }
            }
        } onCancel: {
            cancellation.cancel()
            while let write = queue.withLock({ $0.writes.removeWaiting(cancelledBy: cancellation) }) {
                write.refuse(CancellationError())
            }
        }
    }

    /// The results of writes that were queued together.
    private final class WriteEnds<Value: Sendable>: Sendable {
        typealias End = Result<(result: Value, commit: Commit), any Error>

        private let ends: Mutex<(ends: [End?], missingCount: Int)>
        private let finish: @Sendable ([End]) -> Void

        /// - Parameter finish: Called with all results after the last write has ended.
        init(count: Int, finish: @escaping @Sendable ([End]) -> Void) {
            ends = Mutex((Array(repeating: nil, count: count), count))
            self.finish = finish
        }

        func note(_ index: Int, _ end: End) {
            let all = ends.withLock { state -> [End]? in
                precondition(state.ends[index] == nil, "a write ends once")
                state.ends[index] = end
                state.missingCount -= 1
                return state.missingCount == 0 ? state.ends.compactMap { $0 } : nil
            }
            if let all { finish(all) }
        }
    }

    /// The total size of the running and pending writes, and the number of writes that wait for room.
    var load: (byteCount: Int, waitingCount: Int) {
        queue.withLock { ($0.writes.byteCount, $0.writes.waitingCount) }
    }

    /// Whether the writer refuses new work.
    var isClosed: Bool { queue.withLock { $0.end != nil } }

    /// Runs `body` in the serial section between two groups, so that no write happens during that time. The closure
    /// should be short.
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
            if let reason = enqueue(from: .maintenance, { $0.exclusive.append(work) }) { work.refuse(reason) }
        }
    }

    /// The origin of work for the queue.
    private enum Caller {
        /// A task that is not isolated to an actor. Its thread may run its write.
        case task
        /// A task that is isolated to an actor. Its thread may run its write if the write does not sync. An actor that waited
        /// for a sync could not take the calls that would share this sync.
        case actor
        /// A task or the writer itself, with work that may take long. Another thread runs it.
        case maintenance

        // If this is inlined, the compiler of Swift 6.3 fails for a function with `nonisolated(nonsending)`.
        @inline(never) init(isolation: (any Actor)?) { self = isolation == nil ? .task : .actor }
    }

    /// Adds to the queue, and makes a thread work through it. Returns the error if the work is refused.
    private func enqueue(from caller: Caller, _ add: (inout Queue) -> Void) -> DataStoreError? {
        let (reason, leads) = queue.withLock { queue -> (DataStoreError?, Bool) in
            if let reason = queue.end { return (reason, false) }
            add(&queue)
            defer { queue.isRunning = true }
            return (nil, !queue.isRunning)
        }
        guard leads else { return reason }
        if caller != .maintenance, section.logWriter.takesGroupsAtOnce {
            if runsInline {
                runOwn()
                return nil
            }
            if caller == .task, loneCaller.begin() {
                runOwn()
                loneCaller.end()
                return nil
            }
        }
        drainElsewhere()
        return nil
    }

    /// Makes another thread work through the queue.
    private func drainElsewhere() {
        if let thread = thread.withLock({ $0 }) {
            thread.wake()
        } else {
            DispatchQueue.global().async { [self] in _ = drain() }
        }
    }

    /// Whether the calling thread is in the serial section, or is the writer's thread.
    var isAtWorkHere: Bool {
        threadAtWork.load(ordering: .relaxed) == Platform.currentThread || thread.withLock { $0?.isCurrent == true }
    }

    /// Runs groups until the queue is empty. Returns whether the thread must continue to exist.
    private func drain() -> Bool {
        threadAtWork.store(Platform.currentThread, ordering: .relaxed)
        defer { _ = threadAtWork.compareExchange(expected: Platform.currentThread, desired: 0, ordering: .relaxed) }
        while true {
            let (members, work) = queue.withLock { queue -> ([PendingWrite], ExclusiveWork?) in
                let members = queue.writes.takeGroup()
                if members.isEmpty, queue.exclusive.isEmpty { queue.isRunning = false }
                return (members, queue.exclusive.isEmpty ? nil : queue.exclusive.removeFirst())
            }
            if members.isEmpty, work == nil { return queue.withLock { $0.end == nil } }
            let ended = members.isEmpty ? [] : run(members)
            work?.run()
            // Rows that failed are mended on this thread at once if that is due.
            if section.rows.mendingPause == .zero { try? section.rows.mend() }
            lookAfterRows()
            // A lone caller must find the serial section free, so that it can run its next write.
            let isIdle = ended.count == 1 && queue.withLock { $0.leave() }
            for write in ended { write.resume() }
            if isIdle { return queue.withLock { $0.end == nil } }
        }
    }

    /// Runs the first group, which contains the caller's write, on the caller's thread. Another thread runs the writes
    /// that arrived in the meantime.
    private func runOwn() {
        threadAtWork.store(Platform.currentThread, ordering: .relaxed)
        let ended = run(queue.withLock { $0.writes.takeGroup() })
        lookAfterRows()
        _ = threadAtWork.compareExchange(expected: Platform.currentThread, desired: 0, ordering: .relaxed)
        if !queue.withLock({ $0.leave() }) { drainElsewhere() }
        for write in ended { write.resume() }
    }

    private func run(_ members: [PendingWrite]) -> ArraySlice<PendingWrite> {
        runsInline ? section.run(members) : loneCaller.observe(writeCount: members.count) { section.run(members) }
    }

    /// Makes rows that lack events catch up with the log soon. Called in the serial section.
    private func lookAfterRows() {
        if let pause = section.rows.mendingPause { mendRows(after: pause) }
        if section.rows.isBehind { projectSoon() }
    }

    /// How long events may stay unprojected if no read needs them. Other processes see events in the rows only after that time.
    private static let projectionPause = Duration.milliseconds(20)

    /// Projects unprojected events: at once if there are many, otherwise after a pause.
    private func projectSoon() {
        if section.rows.unprojected.isFull { return project() }
        guard begin(\.isProjectionDue) else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.projectionPause / .seconds(1)) { [self] in
            end(\.isProjectionDue)
            project()
        }
    }

    /// Projects unprojected events on another thread, so that writes continue.
    private func project() {
        guard begin(\.isProjecting) else { return }
        DispatchQueue.global().async { [self] in
            let isProjected = (try? section.rows.project()) != nil
            end(\.isProjecting)
            // Only the serial section decides that the rows have failed. It tries again.
            guard isProjected else { return runInSection { $0.rows.projectOrLose() } }
            // If writes were too late for this projection, they have not scheduled another.
            if section.rows.isBehind { projectSoon() }
        }
    }

    /// Makes the rows follow the log again after `pause`.
    private func mendRows(after pause: Duration) {
        guard begin(\.isMendingDue) else { return }
        DispatchQueue.global().asyncAfter(deadline: .now() + pause / .seconds(1)) { [self] in
            runInSection { [self] section in
                end(\.isMendingDue)
                try? section.rows.mend()
            }
        }
    }

    /// Sets the flag at `flag`. Returns false if it is set already, or if the writer has ended.
    private func begin(_ flag: any WritableKeyPath<Queue, Bool> & Sendable) -> Bool {
        queue.withLock { queue in
            guard queue.end == nil, !queue[keyPath: flag] else { return false }
            queue[keyPath: flag] = true
            return true
        }
    }

    private func end(_ flag: any WritableKeyPath<Queue, Bool> & Sendable) {
        queue.withLock { $0[keyPath: flag] = false }
    }

    /// Runs `body` in the serial section between two groups, unless the writer has ended.
    private func runInSection(_ body: @escaping @Sendable (SerialSection) -> Void) {
        let work = ExclusiveWork { [section] in
            body(section)
        } refuse: { _ in
        }
        _ = enqueue(from: .maintenance) { $0.exclusive.append(work) }
    }

    /// Refuses new writes with `reason`, finishes queued writes, and ends the thread. This method blocks until this is done.
    func close(_ reason: DataStoreError = .closed) {
        let (isFirst, leads) = queue.withLock { queue in
            guard queue.end == nil || queue.end?.code == .storeCleared else { return (false, false) }
            return (true, queue.close(reason))
        }
        guard isFirst else { return }
        if leads { drainElsewhere() }
        if let thread = thread.withLock({ $0 }) {
            thread.join()
            self.thread.withLock { $0 = nil }
            queue.withLock { $0.isRunning = false }
        } else {
            while queue.withLock({ $0.isRunning }) { Blocking.pause(microseconds: 100) }
        }
    }

    /// Refuses all queued and all later work with `reason`. Called in the serial section.
    func refuse(_ reason: DataStoreError) {
        let (writes, works) = queue.withLock { queue -> ([PendingWrite], [ExclusiveWork]) in
            defer {
                queue.exclusive = []
                queue.end = queue.end ?? reason
            }
            return (queue.writes.takeAll(), queue.exclusive)
        }
        for write in writes { write.refuse(reason) }
        for work in works { work.refuse(reason) }
    }

    /// How many commits of the log were synced.
    var syncCount: Int { section.logWriter.syncCount }

    /// Makes the log's environment absorb the tail, and stops writing to the log. Called after ``close()``.
    ///
    /// - Parameter isKept: Whether the log is opened again, even if it is the log of a store in memory.
    /// - Throws: The error of a failed sync of the log. A failed sync is never tried again, because a second sync could
    ///   succeed although data was lost.
    func finishLog(isKept: Bool) throws {
        defer { stopLog() }
        try section.requireWritable()
        try section.logWriter.finish(isKept: isKept)
    }

    /// Stops writing to the log. Called after ``close()``.
    func stopLog() { section.logWriter.stop() }

    /// Work that runs in the serial section between two groups.
    struct ExclusiveWork: Sendable {
        let run: @Sendable () -> Void
        let refuse: @Sendable (DataStoreError) -> Void
    }
}
