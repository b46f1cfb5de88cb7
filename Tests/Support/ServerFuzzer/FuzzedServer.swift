import FaultHarness
import Foundation
import Tidelog
import TidelogAgreement
import TidelogSDL
import TidelogServer
import TidelogSynchronization

/// A service over an empty store, and its parts that receive bytes from clients.
enum FuzzedServer {
    enum Target: String {
        /// Bodies of requests.
        case requests
        /// Messages of WebSockets.
        case messages

        /// Valid inputs.
        var seeds: [String] {
            switch self {
            case .requests: Seeds.requests
            case .messages: Seeds.messages
            }
        }
    }

    /// The target that libFuzzer tests, from the variable `TIDELOG_FUZZ_TARGET`.
    static let chosen = Target(rawValue: ProcessInfo.processInfo.environment["TIDELOG_FUZZ_TARGET"] ?? "") ?? .requests

    private static let scene = Mutex<(service: Service, subscriptions: Subscriptions)?>(nil)
    private static let sdl = """
        type Post @model {
          id: ID! title: String! rank: Int @index(name: "byRank", queryField: "postsByRank", sortKeyFields: ["title"])
          day: AWSDate at: AWSDateTime flags: [Boolean!] place: Place kind: Kind comments: [Comment] @hasMany
        }
        type Comment @model { id: ID! text: AWSJSON post: Post @belongsTo }
        type Seat @model { hall: ID! @primaryKey(sortKeyFields: ["row", "day"]) row: Int! day: AWSDate! }
        type Place { city: String! inside: Place size: Float }
        enum Kind { good bad }
        """

    static func prepare() async throws {
        let api = try API(SchemaDocument(sdl: Array(sdl.utf8)))
        let store = try await DataStore.open(
            at: TemporaryDirectory.pathUntilExit("fuzz"), schema: ServerModels.adding(to: api.storedSchema),
            adapter: .inMemory(), configuration: DataStoreConfiguration(durability: .relaxed))
        let environment = Service.Environment.system
        let versions = try await LogVersionedStore(
            store, schema: api.storedSchema, source: sdl, tombstoneAge: 1_000, clock: environment.clock)
        let service = try await Service(api, versions, environment: environment)
        scene.withLock { $0 = (service, Subscriptions(service)) }
    }

    /// Passes `bytes` to the server, as far as this is possible without its store. Returns whether the server understood them.
    static func take(_ bytes: [UInt8], _ target: Target) -> Bool {
        guard let scene = scene.withLock({ $0 }) else { return false }
        switch target {
        case .requests:
            guard let request = try? ServiceRequest(body: bytes) else { return false }
            return (try? scene.service.prepare(request)) != nil
        case .messages:
            guard let message = try? RealTimeClientMessage(bytes) else { return false }
            guard case .start(let start) = message else { return true }
            guard let request = try? ServiceRequest(body: Array(start.request.utf8)) else { return false }
            return (try? scene.subscriptions.prepare(request, from: .apiKey)) != nil
        }
    }
}
