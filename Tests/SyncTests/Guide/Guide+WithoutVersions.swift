import Foundation
import ServerSupport
import Tidelog

/// The code that `docs/AMPLIFY-GEN2.md` and `docs/MIGRATING-FROM-AMPLIFY.md` show. `GuideWithoutVersionsTests` runs it against
/// servers without versions.
extension Guide {
    /// A task of the app in the guide, as the generator makes it from a model with the field `tidelog`.
    struct Todo: Model, Equatable {
        var id: String
        var content: String
        var isDone: Bool?
        var tidelog: String?
        private(set) var updatedAt: Temporal.DateTime?

        init(id: String, content: String, isDone: Bool? = nil, tidelog: String? = nil) {
            self.id = id
            self.content = content
            self.isDone = isDone
            self.tidelog = tidelog
        }
    }
}

extension Guide.Todo {
    static let schema = ModelSchema(
        name: "Todo",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("content", .string, isRequired: true),
            FieldSchema("isDone", .bool), FieldSchema("tidelog", .string),
            FieldSchema("updatedAt", .dateTime, isReadOnly: true),
        ])

    func encode(into row: inout RowEncoder) {
        row.encode(id)
        row.encode(content)
        if let isDone { row.encode(isDone) } else { row.encodeMissing() }
        if let tidelog { row.encode(tidelog) } else { row.encodeMissing() }
        if let updatedAt { row.encode(updatedAt) } else { row.encodeMissing() }
    }

    init(from row: inout RowDecoder) throws(RowDamage) {
        id = try row.decode(String.self)
        content = try row.decode(String.self)
        isDone = try row.decodeIfPresent(Bool.self)
        tidelog = try row.decodeIfPresent(String.self)
        updatedAt = try row.decodeIfPresent(Temporal.DateTime.self)
    }
}

extension Schema {
    fileprivate static var app: Schema { Schema(models: [Guide.Todo.schema]) }
}

extension Guide {
    static func signedIn(at directory: URL, _ file: URL, _ account: Account) async throws -> (DataStore, SyncEngine) {
        let store = try await DataStore.open(at: directory, schema: .app, adapter: .lmdb())
        let engine = try SyncEngine(
            store: store,
            authorization: .amazonCognitoUserPools { refreshing in
                guard let session = await account.session else { throw GraphQLAuthorization.SignedOut() }
                return try await session.token(refreshing: refreshing)
            },
            configuration: SyncConfiguration(contentsOf: file))
        return (store, engine)
    }

    static func withKey(_ store: DataStore, _ file: URL) throws -> SyncEngine {
        let engine = try SyncEngine(store: store, configuration: SyncConfiguration(contentsOf: file))
        return engine
    }

    static func showProtocol(of engine: SyncEngine, on screen: Screen) async {
        for await status in engine.statuses where status.protocol != .automatic {
            await screen.add("The engine uses the protocol \(status.protocol).")
            break
        }
    }

    static func chosenConfiguration(_ file: URL) throws -> SyncConfiguration {
        var configuration = try SyncConfiguration(contentsOf: file)
        configuration.protocol = .timestamps
        return configuration
    }

    // MARK: From Gen 1 to Gen 2

    static func move(
        _ store: DataStore, from old: SyncConfiguration, to new: SyncConfiguration
    ) async throws -> SyncEngine {
        let former = try SyncEngine(store: store, configuration: old, startup: .manual)
        _ = await former.runOnce(until: .now + .seconds(20))
        // This throws `unsentChanges`, and changes nothing, if the old server does not have every change.
        try await former.clear()
        let engine = try SyncEngine(store: store, configuration: new)
        return engine
    }

    static func adopt(_ store: DataStore, _ configuration: SyncConfiguration) async throws -> SyncEngine {
        let engine = try SyncEngine(store: store, configuration: configuration, startup: .manual)
        try await engine.start(adoptingServer: true)
        return engine
    }
}
