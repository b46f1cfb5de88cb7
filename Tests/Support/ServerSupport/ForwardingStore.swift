package import Tidelog
package import TidelogServer

/// A store over another one. It does everything as that store does, except for the methods that the type has itself.
package protocol ForwardingStore: VersionedStore {
    /// The other store.
    var store: any VersionedStore { get }
}

extension ForwardingStore {
    package var source: String { store.source }
    package var writeFailure: DataStoreError? { store.writeFailure }
    package var connections: ConnectionCounts? { store.connections }

    package func secret(
        named name: String, _ randomBytes: @escaping @Sendable (Int) -> [UInt8]
    ) async throws -> [UInt8] {
        try await store.secret(named: name, randomBytes)
    }

    package func record(_ model: String, _ id: RecordID) async throws -> Record? { try await store.record(model, id) }

    package func change(_ changes: [RequestedChange]) async throws -> [Result<StoredChange.Outcome, any Error>] {
        try await store.change(changes)
    }

    package func page(_ query: PageQuery) async throws -> CountedPage { try await store.page(query) }
    package func plan(_ query: PageQuery) async throws -> QueryPlan { try await store.plan(query) }
    package func beginSync() async throws -> Int64 { try await store.beginSync() }

    package func changes() async throws -> any AsyncSequence<StoredChange, any Error> & Sendable {
        try await store.changes()
    }

    package func purge(before time: Int64) async throws -> Int { try await store.purge(before: time) }
}
