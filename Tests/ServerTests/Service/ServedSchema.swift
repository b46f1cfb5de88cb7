import PostgresSupport
import SeededNumbers
import ServerSupport
import TestStores
import Tidelog
import TidelogGraphQLExecution
import TidelogPostgres
import TidelogSDL
import TidelogSynchronization

@testable import TidelogServer

/// A service with records of its own, and with a clock that the test sets. ``ServedRecords`` decides where the records are.
struct ServedSchema {
    let service: Service
    let versions: any VersionedStore
    let clock: HandSetClock
    private let scratch: Scratch
    /// The store; `nil` if the records are in a database.
    private let log: DataStore?

    /// The store of the records, for tests that do not run with a database.
    var store: DataStore {
        guard let log else { preconditionFailure("the records are in a database") }
        return log
    }

    /// - Parameters:
    ///   - durability: Whether the store syncs its changes.
    ///   - seed: Determines the random bytes of the service. Services with different seeds have different secrets.
    init(
        _ sdl: String, on adapter: Adapter = Adapter(factory: .inMemory()), options: ServiceOptions = ServiceOptions(),
        durability: Durability = .relaxed, seed: UInt64 = 1, kind: APIKind = .versioned
    ) async throws {
        scratch = try Scratch()
        clock = HandSetClock()
        let api = try API(SchemaDocument(sdl: Array(sdl.utf8)), kind)
        switch ServedRecords.place {
        case .store:
            let store = try await DataStore.open(
                at: scratch.path(), schema: ServerModels.adding(to: api.storedSchema), adapter: adapter.factory,
                configuration: DataStoreConfiguration(durability: durability))
            log = store
            versions = try await LogVersionedStore(
                store, schema: api.storedSchema, source: sdl, kind: kind, tombstoneAge: options.tombstoneAge,
                clock: clock.read)
        case .database:
            log = nil
            versions = try await PostgresVersionedStore(
                DatabaseAddress(PostgresCluster.makeDatabase()), schema: api.storedSchema, source: sdl, kind: kind,
                tombstoneAge: options.tombstoneAge, clock: clock.read)
        }
        let random = Mutex(SeededGenerator(seed))
        let environment = Service.Environment(clock: clock.read) { count in
            random.withLock { $0.bytes(count) }
        }
        service = try await Service(api, versions, options: options, environment: environment)
    }

    /// Sends a document, and returns the response as JSON.
    func ask(
        _ query: String, _ variables: InputObject = InputObject(), mutations: [String] = [],
        as caller: Caller = .apiKey
    ) async throws -> String {
        var request = ServiceRequest(query, variables: variables)
        if !mutations.isEmpty { try request.setMutations(header: mutations.joined(separator: ",")) }
        return String(decoding: try await service.respond(to: request, from: caller).json, as: UTF8.self)
    }

    /// Sends a document, and returns the data of the response. Throws if the response has errors.
    func data(_ query: String, _ variables: InputObject = InputObject()) async throws -> ResponseValue {
        let response = try await service.respond(to: ServiceRequest(query, variables: variables), from: .apiKey)
        guard response.errors.isEmpty else { throw Failed(errors: response.errors) }
        return response.data
    }

    struct Failed: Error {
        let errors: [GraphQLError]
    }
}

extension ResponseValue {
    /// The elements, if the value is a list; otherwise an empty array.
    var elements: [ResponseValue] {
        if case .list(let elements) = self { elements } else { [] }
    }

    /// The text, if the value is a text.
    var text: String? {
        if case .string(let text) = self { text } else { nil }
    }

    /// The number, if the value is an integer.
    var number: Int64? {
        if case .int(let number) = self { number } else { nil }
    }
}
