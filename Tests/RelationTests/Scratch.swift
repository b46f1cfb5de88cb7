import Foundation
import Tidelog

/// The adapters that every test runs over.
enum Adapter: String, CaseIterable {
    case inMemory, lmdb, sqlite

    var factory: AdapterFactory {
        switch self {
        case .inMemory: .inMemory()
        case .lmdb: .lmdb()
        case .sqlite: .sqlite()
        }
    }
}

extension DataStore {
    /// A store that is made for one test.
    static func scratch(_ adapter: Adapter = .inMemory, schema: Schema = Blog.schema) async throws -> DataStore {
        let directory = FileManager.default.temporaryDirectory.appending(path: "relations-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        return try await open(
            at: directory.appending(path: "store"), schema: schema, adapter: adapter.factory,
            configuration: DataStoreConfiguration(durability: .unsynced))
    }
}
