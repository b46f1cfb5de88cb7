internal import TidelogSynchronization

/// The parts of a store that is being closed or suspended.
final class ClosingParts: Sendable {
    /// `nil` if the store is suspended, so that its files are closed.
    private let generation: Generation?
    private let reason: DataStoreError
    private let lock: Mutex<WriterLock?>
    private let readerLock: ReaderLock?
    private let temporaryDirectory: String?

    init(
        _ generation: Generation?, reason: DataStoreError, lock: consuming sending WriterLock?,
        readerLock: ReaderLock?, temporaryDirectory: String?
    ) {
        self.generation = generation
        self.reason = reason
        self.lock = Mutex(lock)
        self.readerLock = readerLock
        self.temporaryDirectory = temporaryDirectory
    }

    /// Whether the calling thread is the writer's.
    var areClosedByWriter: Bool { generation?.writer?.isAtWorkHere ?? false }

    /// Closes all parts. The lock is released last.
    func close() throws {
        defer {
            lock.withLock { $0 = nil }
            readerLock?.release()
            if let temporaryDirectory { try? FileSystem.removeTree(temporaryDirectory) }
        }
        try generation?.close(reason)
    }
}
