import TestWaiting
import Tidelog

@testable import TidelogServer

/// A store whose changes cannot be followed, or cannot be followed any more, while a test says so.
final class BrokenChanges: VersionedStore {
    struct Broken: Error {}

    private let store: any VersionedStore
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

    var source: String { store.source }
    var writeFailure: DataStoreError? { store.writeFailure }

    func secret(named name: String, _ randomBytes: @escaping @Sendable (Int) -> [UInt8]) async throws -> [UInt8] {
        try await store.secret(named: name, randomBytes)
    }

    func record(_ model: String, _ id: RecordID) async throws -> Record? { try await store.record(model, id) }

    func change(_ changes: [RequestedChange]) async throws -> [Result<StoredChange.Outcome, any Error>] {
        try await store.change(changes)
    }

    func page(_ query: PageQuery) async throws -> CountedPage { try await store.page(query) }

    func plan(_ query: PageQuery) async throws -> QueryPlan { try await store.plan(query) }

    func beginSync() async throws -> Int64 { try await store.beginSync() }

    func purge(before time: Int64) async throws -> Int { try await store.purge(before: time) }
}
