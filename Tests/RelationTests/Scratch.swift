import FaultHarness
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
        return try await open(
            at: TemporaryDirectory.pathUntilExit("relations"), schema: schema, adapter: adapter.factory,
            configuration: DataStoreConfiguration(durability: .unsynced))
    }
}
