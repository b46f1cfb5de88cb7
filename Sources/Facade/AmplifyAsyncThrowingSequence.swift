import TidelogSynchronization

/// An asynchronous sequence that can be cancelled.
public struct AmplifyAsyncThrowingSequence<Element: Sendable>: AsyncSequence, Sendable {
    /// Returns the next element; `nil` at the end.
    typealias Next = @Sendable () async throws -> Element?

    private let begin: @Sendable () async throws -> Next
    private let readers = CancellableReaders()

    init(_ begin: @escaping @Sendable () async throws -> Next) { self.begin = begin }

    /// Ends each iteration, even while it waits for an element.
    public func cancel() { readers.cancel() }

    /// Begins to read.
    public func makeAsyncIterator() -> Iterator { Iterator(begin: begin, readers: readers) }

    /// Reads the elements one after the other.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let begin: @Sendable () async throws -> Next
        fileprivate let readers: CancellableReaders
        private var next: Next?

        fileprivate init(begin: @escaping @Sendable () async throws -> Next, readers: CancellableReaders) {
            self.begin = begin
            self.readers = readers
        }

        /// Waits for the next element. It is `nil` after the task or the sequence was cancelled.
        public mutating func next() async throws -> Element? {
            if next == nil {
                let begin = begin
                next = try await readers.read { try await begin() }
            }
            guard let next else { return nil }
            return try await readers.read(next)
        }
    }
}

/// The waiting reads of a sequence.
private final class CancellableReaders: Sendable {
    private struct State {
        var isCancelled = false
        var number = 0
        var waiting: [Int: @Sendable () -> Void] = [:]
    }

    private let state = Mutex(State())

    func cancel() {
        let waiting = state.withLock { state in
            state.isCancelled = true
            return Array(state.waiting.values)
        }
        for cancel in waiting { cancel() }
    }

    /// Returns the value of `body`; `nil` if the sequence was cancelled.
    func read<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value?) async throws -> Value? {
        let task = Task { try await body() }
        let number: Int? = state.withLock { state in
            guard !state.isCancelled else { return nil }
            state.number += 1
            state.waiting[state.number] = { task.cancel() }
            return state.number
        }
        guard let number else {
            task.cancel()
            return nil
        }
        defer { state.withLock { _ = $0.waiting.removeValue(forKey: number) } }
        return try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
    }
}
