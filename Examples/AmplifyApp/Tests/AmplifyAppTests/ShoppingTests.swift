import Foundation
import Testing

/// A server and a directory for the apps that use it.
private final class Household {
    let directory = FileManager.default.temporaryDirectory.appending(path: "household-\(UInt64.random(in: 1 ... .max))")
    private let port: Int
    private var server: Program

    init() throws {
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        (server, port) = try Self.serve(in: directory, port: 0)
    }

    deinit { try? FileManager.default.removeItem(at: directory) }

    private static func serve(in directory: URL, port: Int) throws -> (Program, Int) {
        let schema = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "Sources/AmplifyApp/schema.graphql")
        let server = try Program(
            "tidelog",
            [
                "serve", schema.path, "--store", directory.appending(path: "served").path, "--port", "\(port)",
                "--api-key", "da2-0123456789", "--json",
            ], in: directory)
        let ready = try #require(server.readLine())
        let match = try #require(ready.firstMatch(of: /"endpoint":"http:[^"]+:(\d+)/))
        return (server, try #require(Int(match.1)))
    }

    func stopServer() { #expect(server.terminate() == 0) }

    func startServer() throws { (server, _) = try Self.serve(in: directory, port: port) }

    /// Starts the app of a person, in a directory that has the configuration file.
    func app(_ name: String) throws -> Program {
        let home = directory.appending(path: name)
        try FileManager.default.createDirectory(at: home, withIntermediateDirectories: true)
        try Data(
            """
            {"api":{"plugins":{"awsAPIPlugin":{"app":{"endpointType":"GraphQL","region":"local",
            "endpoint":"http://127.0.0.1:\(port)/graphql","authorizationType":"API_KEY","apiKey":"da2-0123456789"}}}}}
            """.utf8
        ).write(to: home.appending(path: "amplifyconfiguration.json"))
        return try Program("AmplifyApp", in: home)
    }
}

@Suite("A shopping list with Amplify's calls", .timeLimit(.minutes(2)))
struct ShoppingTests {
    @Test("two people see what the other adds and buys")
    func shared() throws {
        let household = try Household()
        let ann = try household.app("Ann")
        #expect(ann.readLine() == "Nothing to buy")
        ann.type("add milk")
        #expect(ann.reads("milk"))
        let bob = try household.app("Bob")
        #expect(bob.reads("milk"))
        bob.type("add bread")
        #expect(ann.reads("bread, milk"))
        ann.type("buy milk")
        #expect(bob.reads("bread"))
        bob.type("buy milk")
        #expect(bob.reads("No milk on the list"))
        #expect(try ann.finish() == "Everything is sent")
        #expect(try bob.finish() == "Everything is sent")
        household.stopServer()
    }

    @Test("an item that was added while no server answered is sent in the next run")
    func offline() throws {
        let household = try Household()
        household.stopServer()
        let ann = try household.app("Ann")
        ann.type("add flour")
        #expect(ann.reads("flour"))
        #expect(try ann.finish() == "Not sent yet: 1")
        try household.startServer()
        let again = try household.app("Ann")
        #expect(again.readLine() == "flour")
        let bob = try household.app("Bob")
        #expect(bob.reads("flour"))
        #expect(try again.finish() == "Everything is sent")
        #expect(try bob.finish() == "Everything is sent")
        household.stopServer()
    }
}
