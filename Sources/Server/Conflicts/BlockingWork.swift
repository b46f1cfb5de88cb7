internal import Synchronization
internal import TidelogCore

/// Work that blocks, each piece on a thread of its own.
enum BlockingWork {
    /// Tells the work that its task was cancelled: it then ends soon.
    final class Cancellation: Sendable {
        private let flag = Atomic(false)

        var isCancelled: Bool { flag.load(ordering: .relaxed) }
        func cancel() { flag.store(true, ordering: .relaxed) }
    }

    /// What `body` gives.
    ///
    /// - Throws: what `body` throws; ``ConflictFailure`` if the system has no thread to give.
    static func run<Value: Sendable>(
        _ body: @escaping @Sendable (Cancellation) throws -> Value
    ) async throws -> Value {
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let status = DetachedThread.start(stackByteCount: 1 << 20) {
                    continuation.resume(with: Result { try body(cancellation) })
                }
                if status != 0 { continuation.resume(throwing: ConflictFailure("the system has no thread to give")) }
            }
        } onCancel: {
            cancellation.cancel()
        }
    }
}
