import FaultHarness
import Foundation
import PostgresSupport
import RawServer
import Testing
import TidelogJSON

/// A directory with the stores of several devices, and with a server of a schema, or with two servers over one database that
/// devices reach through a load balancer.
///
/// This type may be shared: one thread starts and stops the server, and one thread uses each device.
final class Fleet: @unchecked Sendable {
    let directory: TemporaryDirectory
    let schema: String
    private let arguments: [String]
    private(set) var server: ServerProcess
    /// The second server over the database.
    private var otherServer: ServerProcess?
    /// The load balancer of the servers over a database.
    private let balancer: RoundRobinProxy?
    /// The address of the database; `nil` if the server has a store.
    let database: String?
    let port: Int
    /// The proxy between the devices and the server, or `nil` if the devices reach the server directly.
    private(set) var proxy: Proxy?

    /// The place of the records of the servers.
    enum Records: CaseIterable, CustomTestStringConvertible {
        case store, database

        var testDescription: String { self == .store ? "one server over a store" : "two servers over a database" }

        /// The places that are possible here.
        static let possible: [Records] = PostgresCluster.isInstalled ? allCases : [.store]
    }

    init(_ schema: String, _ arguments: [String] = [], records: Records = .store) throws {
        directory = try TemporaryDirectory("sync")
        self.schema = schema
        self.arguments = arguments
        switch records {
        case .store:
            (database, balancer) = (nil, nil)
            server = try ServerProcess(schema, store: directory.file("served").path, arguments)
            port = try #require(server.endpoint.port)
        case .database:
            let database = try PostgresCluster.makeDatabase()
            let servers = try (0..<2).map { _ in try ServerProcess(schema, database: database, arguments) }
            let balancer = try RoundRobinProxy(to: servers.compactMap(\.endpoint.port))
            (self.database, self.balancer) = (database, balancer)
            (server, otherServer, port) = (servers[0], servers[1], balancer.port)
        }
    }

    /// The API of the servers.
    enum API: CaseIterable, CustomTestStringConvertible {
        /// Records have versions.
        case versioned
        /// Records have no versions, and devices write tags.
        case tagged
        /// Records have neither versions nor a field for tags.
        case untagged
        /// Records have no versions, and devices write tags and mark records as deleted.
        case marking

        var testDescription: String { "the API is \(self)" }

        fileprivate var arguments: [String] { self == .versioned ? [] : ["--api", "gen2"] }

        fileprivate var schema: String {
            let fields =
                switch self {
                case .versioned, .untagged: ""
                case .tagged: " tidelog: String"
                case .marking: " tidelog: String deletedAt: AWSDateTime"
                }
            return Shop.schema.replacing("status: Status", with: "status: Status\(fields)")
        }
    }

    /// A fleet of the shop's schema.
    static func shop(_ arguments: [String] = [], records: Records = .store, api: API = .versioned) throws -> Fleet {
        try of(api.schema, api.arguments + arguments, records: records)
    }

    /// A fleet of a schema.
    static func of(_ text: String, _ arguments: [String] = [], records: Records = .store) throws -> Fleet {
        let directory = try TemporaryDirectory("schema")
        let schema = directory.file("schema.graphql")
        try Data(text.utf8).write(to: schema)
        let fleet = try Fleet(schema.path, arguments, records: records)
        fleet.kept = directory
        return fleet
    }
    private var kept: TemporaryDirectory?

    /// Puts a proxy between the devices and the server.
    func connect(through treat: @escaping @Sendable (Proxy.Arrival) -> Proxy.Treatment) throws {
        proxy = try Proxy(toPort: port, treat)
    }

    /// Kills the server at once, and starts it again on its port. If two servers share a database, the older one is killed, and
    /// the other one serves until the new one has started.
    func killServer() throws {
        server.child.signal(SIGKILL)
        _ = try server.child.wait()
        guard let database, let other = otherServer else { return try startServer() }
        (server, otherServer) = (other, try ServerProcess(schema, database: database, arguments))
        balancer?.replace([server, otherServer].compactMap { $0?.endpoint.port })
    }

    /// Stops the servers. A device named `served` first fetches what a database has.
    func stopServer() throws {
        if database != nil { _ = try synced("served") }
        for server in [server, otherServer].compactMap(\.self) { #expect(try server.stop() == 0) }
    }

    /// - Parameter changed: The path of a new schema, if it differs from the schema of the first start.
    func startServer(_ changed: String? = nil) throws {
        server = try ServerProcess(changed ?? schema, store: directory.file("served").path, port: port, arguments)
    }

    func store(_ device: String) -> String { directory.file(device).path }

    /// - Parameter own: The path of the schema of the device, if it differs from the server's.
    func syncArguments(_ device: String, _ arguments: [String] = [], schema own: String? = nil) -> [String] {
        [
            "sync", "--store", store(device), "--schema", own ?? schema, "--endpoint",
            "http://127.0.0.1:\(proxy?.port ?? port)/graphql", "--api-key", ServerProcess.key, "--json",
        ] + arguments
    }

    func sync(_ device: String, _ arguments: [String] = []) throws -> Outcome {
        try Tool.run(syncArguments(device, arguments), within: .seconds(240))
    }

    /// Syncs a device. Returns the report of the sync.
    func synced(_ device: String, _ arguments: [String] = []) throws -> JSONValue {
        let outcome = try sync(device, arguments)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return try outcome.object()
    }

    func run(_ device: String, _ command: String, _ arguments: String...) throws -> Outcome {
        let outcome = try Tool.run([command] + arguments + ["--store", store(device)], within: .seconds(240))
        #expect(outcome.status == 0, "\(outcome.errors)")
        return outcome
    }

    func export(_ device: String, _ model: String) throws -> String {
        try run(device, "export", model).output
    }

    /// Saves notes on a device. Each line is a whole note or, with `isPatch`, the fields to change.
    func save(_ lines: [String], on device: String, isPatch: Bool = false) throws {
        guard !lines.isEmpty else { return }
        let file = directory.file("\(device).ndjson")
        try Data(lines.map { $0 + "\n" }.joined().utf8).write(to: file)
        let command = "tidelog save\(isPatch ? " --patch" : "") --store \(store(device)) Note - < \(file.path)"
        let outcome = try Tool.shell(command, in: directory.url)
        guard outcome.status == 0 else { throw ShopFailure(text: outcome.errors) }
    }

    /// The notes of a stopped server, in the form in which a device exports them.
    func servedNotes() throws -> String { try served("Note") }

    /// The records of a model of a stopped server, in the form in which a device exports them.
    func served(_ model: String) throws -> String {
        try run("served", "export", model).lines.compactMap { line in
            if line.contains(#""deletedAt":""#) { return nil }
            guard let end = line.range(of: #","_version":"#)?.lowerBound else { return line }
            return line[end...].contains(#""_deleted":true"#) ? nil : line[..<end] + "}"
        }.joined(separator: "\n")
    }

    /// The set-aside and pending changes of a device.
    func outbox(_ device: String) throws -> [JSONValue] {
        try Tool.run("outbox", "list", "--store", store(device), "--json").objects()
    }
}
