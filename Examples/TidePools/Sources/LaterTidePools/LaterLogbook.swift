import Foundation
import Tidelog

/// The same app, one version later.
public struct LaterLogbook: Sendable {
    /// The store, which follows the next schema.
    public let store: DataStore

    /// Opens the logbook, also one that the earlier version wrote.
    public init(at directory: URL) async throws {
        store = try await DataStore.open(
            at: directory, schema: .app, adapter: .lmdb(),
            migrations: [.rename(field: "place", of: "Find", to: "shore")])
    }

    /// The finds as lines for people, in the order of their texts.
    public func lines() async throws -> [String] {
        try await store.fetch(Find.all).map { "\($0.name) at \($0.shore)\($0.isRare ? ", rare" : "")" }.sorted()
    }
}
