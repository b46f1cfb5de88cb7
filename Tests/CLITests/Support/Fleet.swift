import FaultHarness
import Foundation
import Testing
import TidelogJSON

/// A directory with a server of a schema and the stores of devices.
final class Fleet {
    let directory: TemporaryDirectory
    private let schema: String
    private let arguments: [String]
    private(set) var server: ServerProcess
    let port: Int

    init(_ schema: String, _ arguments: [String] = []) throws {
        directory = try TemporaryDirectory("sync")
        self.schema = schema
        self.arguments = arguments
        server = try ServerProcess(schema, store: directory.file("served").path, arguments)
        port = try #require(server.endpoint.port)
    }

    /// A fleet of the shop's schema.
    static func shop(_ arguments: [String] = []) throws -> Fleet {
        let directory = try TemporaryDirectory("schema")
        let schema = directory.file("schema.graphql")
        try Data(Shop.schema.utf8).write(to: schema)
        let fleet = try Fleet(schema.path, arguments)
        fleet.kept = directory
        return fleet
    }
    private var kept: TemporaryDirectory?

    func stopServer() throws { #expect(try server.stop() == 0) }

    /// - Parameter changed: The path of another schema than at the first start.
    func startServer(_ changed: String? = nil) throws {
        server = try ServerProcess(changed ?? schema, store: directory.file("served").path, port: port, arguments)
    }

    func store(_ device: String) -> String { directory.file(device).path }

    /// - Parameter own: The path of the device's schema, if it is not the server's.
    func syncArguments(_ device: String, _ arguments: [String] = [], schema own: String? = nil) -> [String] {
        [
            "sync", "--store", store(device), "--schema", own ?? schema, "--endpoint",
            "http://127.0.0.1:\(port)/graphql", "--api-key", ServerProcess.key, "--json",
        ] + arguments
    }

    func sync(_ device: String, _ arguments: [String] = []) throws -> Outcome {
        try Tool.run(syncArguments(device, arguments), within: .seconds(240))
    }

    /// Syncs a device; gives what the sync says.
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

    /// The set-aside and pending changes of a device.
    func outbox(_ device: String) throws -> [JSONValue] {
        try Tool.run("outbox", "list", "--store", store(device), "--json").objects()
    }
}
