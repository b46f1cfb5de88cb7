internal import TidelogSynchronization

/// Runs `body` with a time limit. After the limit, `body` is cancelled, and this function does not wait for it to end.
///
/// - Throws: The error of `body`; ``ConflictCase.Failure`` if `body` took too long; `CancellationError` if this task is
///   cancelled.
func withTimeLimit<Value: Sendable>(
    _ limit: Duration, _ body: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let race = Race<Value>()
    let work = Task {
        do { race.end(.success(try await body())) } catch { race.end(.failure(error)) }
    }
    let timer = Task {
        try? await Task.sleep(for: limit)
        race.end(.failure(ConflictCase.Failure("it took longer than \(limit)")))
    }
    defer {
        work.cancel()
        timer.cancel()
    }
    return try await withTaskCancellationHandler {
        try await race.value()
    } onCancel: {
        race.end(.failure(CancellationError()))
    }
}

/// A result that several tasks try to set. The first result counts.
private final class Race<Value: Sendable>: Sendable {
    private struct State {
        var result: Result<Value, any Error>?
        var waiting: CheckedContinuation<Value, any Error>?
    }

    private let state = Mutex(State())

    func end(_ result: Result<Value, any Error>) {
        let waiting = state.withLock { state in
            guard state.result == nil else { return nil as CheckedContinuation<Value, any Error>? }
            state.result = result
            return state.waiting.take()
        }
        waiting?.resume(with: result)
    }

    /// Waits for the first result. May only be called once.
    func value() async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            let result = state.withLock { state in
                assert(state.waiting == nil, "only one caller waits for a race")
                if state.result == nil { state.waiting = continuation }
                return state.result
            }
            if let result { continuation.resume(with: result) }
        }
    }
}
