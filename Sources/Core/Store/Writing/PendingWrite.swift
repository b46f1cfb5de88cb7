internal import TidelogSynchronization

/// The write of one caller, from the call until its group has ended.
///
/// Sound as `@unchecked Sendable` because the caller passes it to the writer's serial section once. Only the
/// cancellation flag is shared.
final class PendingWrite: @unchecked Sendable {
    let body: (StoreTransaction) throws -> Void
    /// The size of the write for the limit of queued writes.
    let byteCount: Int
    /// Whether the write deletes records, so that it may use the space that is set aside.
    let freesRoom: Bool
    private let finish: (Result<Commit, any Error>) -> Void
    private let cancellation: Cancellation

    /// The staged events of this write. The range is empty until the write has run.
    var events: Range<Int> = 0..<0
    var failure: (any Error)?
    /// Whether the write has found the disk full before.
    var hasRunAgain = false
    private var result: Result<Commit, any Error>?

    final class Cancellation: Sendable {
        private let flag = Atomic<Bool>(false)
        func cancel() { flag.store(true, ordering: .relaxed) }
        var isCancelled: Bool { flag.load(ordering: .relaxed) }
    }

    init(
        cancellation: Cancellation, byteCount: Int, freesRoom: Bool = false,
        body: @escaping (StoreTransaction) throws -> Void, finish: @escaping (Result<Commit, any Error>) -> Void
    ) {
        precondition(byteCount >= 0, "the size of a write is not negative")
        self.cancellation = cancellation
        self.byteCount = byteCount
        self.freesRoom = freesRoom
        self.body = body
        self.finish = finish
    }

    var isCancelled: Bool { cancellation.isCancelled }

    /// Whether `cancellation` belongs to this write.
    func isCancelled(by cancellation: Cancellation) -> Bool { self.cancellation === cancellation }

    /// Ends the write with `result`. The caller gets it by ``resume()``.
    func end(_ result: Result<Commit, any Error>) {
        precondition(self.result == nil, "a write ends once")
        self.result = result
    }

    /// Gives the caller the result of the write, which has ended.
    func resume() {
        guard let result else { preconditionFailure("a caller is resumed after its write has ended") }
        finish(result)
    }

    /// Ends a write that never ran, with an error.
    func refuse(_ error: any Error) {
        end(.failure(error))
        resume()
    }
}
