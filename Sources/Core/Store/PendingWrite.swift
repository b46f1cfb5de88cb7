internal import Synchronization

/// One caller's write while it waits for its group.
///
/// Sound as `@unchecked Sendable`: handed from the caller to the writer's serial section once; only the flag is shared.
final class PendingWrite: @unchecked Sendable {
    let body: (StoreTransaction) throws -> Void
    /// What the write counts among those that wait.
    let byteCount: Int
    private let finish: (Result<Commit, any Error>) -> Void
    private let cancellation: Cancellation

    /// The staged events of this write, once it ran.
    var events: Range<Int> = 0..<0
    var failure: (any Error)?

    final class Cancellation: Sendable {
        private let flag = Atomic<Bool>(false)
        func cancel() { flag.store(true, ordering: .relaxed) }
        var isCancelled: Bool { flag.load(ordering: .relaxed) }
    }

    init(
        cancellation: Cancellation, byteCount: Int, body: @escaping (StoreTransaction) throws -> Void,
        finish: @escaping (Result<Commit, any Error>) -> Void
    ) {
        self.cancellation = cancellation
        self.byteCount = byteCount
        self.body = body
        self.finish = finish
    }

    var isCancelled: Bool { cancellation.isCancelled }

    /// Whether it is `cancellation` that cancels this write.
    func isCancelled(by cancellation: Cancellation) -> Bool { self.cancellation === cancellation }

    func resume(_ result: Result<Commit, any Error>) { finish(result) }
}
