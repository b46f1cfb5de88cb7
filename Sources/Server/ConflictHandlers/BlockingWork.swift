internal import TidelogCore
internal import TidelogSynchronization

/// Runs work that blocks, with a new thread for each piece of work.
enum BlockingWork {
    /// A flag that tells the work that its task was cancelled. The work checks the flag and ends soon.
    final class Cancellation: Sendable {
        private let flag = Atomic(false)

        var isCancelled: Bool { flag.load(ordering: .relaxed) }
        func cancel() { flag.store(true, ordering: .relaxed) }
    }

    /// Runs `body` and returns its result.
    ///
    /// - Throws: The error of `body`; ``ConflictCase.Failure`` if the system cannot create a thread.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable (Cancellation) throws -> Value
    ) async throws -> Value {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let status = DetachedThread.start(stackByteCount: 1 << 20) {
                    continuation.resume(with: Result { try body(cancellation) })
                }
                if status != 0 {
                    continuation.resume(throwing: ConflictCase.Failure("the system has no thread to give"))
                }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
