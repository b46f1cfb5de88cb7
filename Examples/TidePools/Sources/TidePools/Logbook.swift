import Foundation
import Tidelog

/// The finds of one person, in a store on this device.
public struct Logbook: Sendable {
    /// The store, which follows the schema.
    public let store: DataStore

    /// Opens the logbook in a directory of its own.
    public init(at directory: URL) async throws {
        store = try await DataStore.open(at: directory, schema: .app, adapter: .lmdb())
    }
}

extension Logbook {
    /// Writes down a find. It is on the disk when this method returns.
    public func add(_ name: String, at place: String) async throws -> Find {
        let find = Find(name: name, place: place)
        try await store.save(find)
        return find
    }
}

extension Logbook {
    /// The finds at a place, in descending order of their counts.
    public static func finds(at place: String) -> Query<Find> {
        Find.byPlace(place: place).sorted(by: .descending(Find.keys.count))
    }
}

extension Logbook {
    /// Calls `show` with the finds at a place, now and after each change.
    public func follow(_ place: String, _ show: (_ lines: [String]) async -> Bool) async throws {
        for try await result in store.observe(Self.finds(at: place)) {
            let lines = result.items.map { "\($0.name) × \($0.count)" }
            guard await show(lines) else { break }
        }
    }
}

extension Logbook {
    /// Counts one more of a find. All of the block is one commit, so no other change comes between the read and the save.
    public func sawAnother(_ id: String) async throws {
        try await store.write { transaction in
            guard var find = try transaction.query(Find.self, id: id) else { return }
            find.count += 1
            try transaction.save(find)
        }
    }
}

extension Logbook {
    /// How the count of a find changed, the oldest first.
    public func counts(of id: String) async throws -> [Int64] {
        try await store.history(of: Find.self, id: ModelID(id)).events.compactMap { event in
            if case .int(let count)? = event.record?["count"] { count } else { nil }
        }
    }
}
