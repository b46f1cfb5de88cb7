import FaultHarness
import Foundation
import TestStores
import Testing

@testable import Tidelog
@testable import TidelogCore

extension Scratch {
    func open(
        _ adapter: Adapter, _ schema: Schema?, _ migrations: [SchemaMigration] = [], name: String = "store",
        durability: Durability? = .relaxed
    ) async throws -> DataStore {
        try await DataStore.open(
            at: path(name), schema: schema, adapter: adapter.factory,
            configuration: DataStoreConfiguration(durability: durability), migrations: migrations)
    }

    /// All files of the store, except the files that only show which process has the store open.
    func contents(_ name: String = "store") throws -> [String: Data] {
        var found: [String: Data] = [:]
        let root = path(name)
        for entry in FileManager.default.enumerator(atPath: root.path)?.compactMap({ $0 as? String }) ?? []
        where !entry.hasSuffix("lock.mdb") && !entry.hasSuffix("writer.lock") {
            found[entry] = FileManager.default.contents(atPath: root.appending(path: entry).path) ?? Data()
        }
        return found
    }
}

extension DataStore {
    func all(_ model: String) async throws -> [Record] { try await fetch(Record.all(of: model)) }

    /// Every event of the log.
    func allEvents() throws -> [Event] {
        let generation = try current()
        return try generation.log.withReader { reader in
            var events: [Event] = []
            try reader.forEach(after: .zero) { view in
                events.append(try Event(view, schemas: generation.schemas))
                return true
            }
            return events
        }
    }

    /// Checks the rows against the log, recreates the rows, and expects that they are the same as before.
    func checkRows(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let before = try await hash()
        let report = try await verify()
        #expect(report.isWhole, "\(report.differences)", sourceLocation: sourceLocation)
        try await rebuild()
        #expect(try await hash() == before, sourceLocation: sourceLocation)
        #expect(try await verify().isWhole, sourceLocation: sourceLocation)
    }
}

func code(_ body: () async throws -> some Any) async -> DataStoreError.Code? {
    do {
        _ = try await body()
        return nil
    } catch {
        return (error as? DataStoreError)?.code
    }
}
