import ServerSupport
import TestWaiting
import Tidelog

@testable import TidelogServer

/// A store whose changes cannot be followed, or cannot be followed any more, while a test says so.
final class BrokenChanges: ForwardingStore {
    struct Broken: Error {}

    let store: any VersionedStore
    /// Whether the changes are broken: then they do not begin, and the next change ends them.
    let isBroken = Shared(false)

    init(_ store: any VersionedStore) { self.store = store }

    func changes() async throws -> any AsyncSequence<StoredChange, any Error> & Sendable {
        guard !isBroken.value else { throw Broken() }
        let changes = try await store.changes()
        let (stream, continuation) = AsyncThrowingStream.makeStream(of: StoredChange.self, throwing: (any Error).self)
        let task = Task { [isBroken] in
            do {
                for try await change in changes {
                    if isBroken.value { throw Broken() }
                    continuation.yield(change)
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: error)
            }
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}
