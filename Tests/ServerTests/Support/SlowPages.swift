import Dispatch
import TestWaiting
import Tidelog

@testable import TidelogServer

/// A store that waits 60 seconds before it reads a page. If the task is cancelled during that time, the read fails.
final class SlowPages: VersionedStore {
    private let store: any VersionedStore
    private let begun = DispatchSemaphore(value: 0)
    /// The number of pages that were requested.
    let pageCount = Shared(0)
    /// The number of those pages whose task was cancelled.
    let cancelledCount = Shared(0)

    init(_ store: any VersionedStore) { self.store = store }

    /// Blocks until a page is requested. Returns `false` if that takes longer than `seconds`.
    func hasBegun(within seconds: Int) -> Bool { begun.wait(timeout: .now() + .seconds(seconds)) == .success }

    func page(_ query: PageQuery) async throws -> CountedPage {
        pageCount.update { $0 += 1 }
        begun.signal()
        do {
            try await Task.sleep(for: .seconds(60))
        } catch {
            cancelledCount.update { $0 += 1 }
            throw error
        }
        return try await store.page(query)
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

    func plan(_ query: PageQuery) async throws -> QueryPlan { try await store.plan(query) }

    func beginSync() async throws -> Int64 { try await store.beginSync() }

    func changes() async throws -> any AsyncSequence<StoredChange, any Error> & Sendable { try await store.changes() }

    func purge(before time: Int64) async throws -> Int { try await store.purge(before: time) }
}
