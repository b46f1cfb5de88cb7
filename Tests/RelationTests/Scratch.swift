import FaultHarness
import FleetingRows
import Foundation
import Tidelog

/// The adapters with which the tests run. The rows of `fleeting` are valid only as long as the contract demands.
enum Adapter: String, CaseIterable {
    case inMemory, lmdb, sqlite, fleeting

    var factory: AdapterFactory {
        switch self {
        case .inMemory: .inMemory()
        case .lmdb: .lmdb()
        case .sqlite: .sqlite()
        case .fleeting: .fleeting(.inMemory())
        }
    }
}

extension DataStore {
    /// A store that is made for one test. Its log keeps every event, so that tests can read it.
    static func scratch(_ adapter: Adapter = .inMemory, schema: Schema = Blog.schema) async throws -> DataStore {
        return try await open(
            at: TemporaryDirectory.pathUntilExit("relations"), schema: schema, adapter: adapter.factory,
            configuration: DataStoreConfiguration(durability: .relaxed, compaction: nil))
    }
}
