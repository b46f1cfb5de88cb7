import Foundation
import Neighbours
import Testing
import Tidelog

@Suite("Neighbours", .timeLimit(.minutes(2)))
struct NeighbourTests {
    private static let key = "da2-0123456789"

    /// A directory with a server and with the apps of several people.
    private final class Town {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "town-\(UInt64.random(in: 1 ... .max))")
        private(set) var server: Program
        let endpoint: URL

        init() throws {
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            (server, endpoint) = try Self.serve(in: directory, port: 0)
        }

        deinit { try? FileManager.default.removeItem(at: directory) }

        func stopServer() { #expect(server.terminate() == 0) }

        func startServer() throws { (server, _) = try Self.serve(in: directory, port: endpoint.port ?? 0) }

        private static func serve(in directory: URL, port: Int) throws -> (Program, URL) {
            let schema = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
                .deletingLastPathComponent().appending(path: "Sources/Neighbours/schema.graphql")
            let server = try Program(
                "tidelog",
                [
                    "serve", schema.path, "--store", directory.appending(path: "served").path, "--port", "\(port)",
                    "--api-key", NeighbourTests.key, "--json",
                ])
            let ready = try #require(server.readLine())
            let match = try #require(ready.firstMatch(of: /"endpoint":"([^"]+)"/))
            return (server, try #require(URL(string: String(match.1).replacing("\\/", with: "/"))))
        }

        func app(_ name: String, _ postcode: String) throws -> Program {
            try Program(
                "IsolationNation",
                [directory.appending(path: name).path, endpoint.absoluteString, NeighbourTests.key, name, postcode])
        }
    }

    @Test("two people of one postcode area meet in one conversation, and each is shown what the other says")
    func conversation() async throws {
        let town = try Town()
        let ann = try town.app("Ann", "SW1A 1AA")
        #expect(ann.readLine() == "Began SW")
        ann.type("Does anybody have flour?")
        #expect(ann.readLine() == "Ann: Does anybody have flour?")
        #expect(try ann.finish() == ["Everything is sent"])

        let bob = try town.app("Bob", "sw1a1aa")
        #expect(bob.readLine() == "Joined SW")
        #expect(bob.readLine() == "Ann: Does anybody have flour?")
        // After a second start, the app has the same person in the same conversation, and finds the message in the store.
        let annAgain = try town.app("Ann", "SW1A 1AA")
        #expect(annAgain.readLine() == "Joined SW")
        #expect(annAgain.readLine() == "Ann: Does anybody have flour?")
        bob.type("I have.")
        #expect(bob.readLine() == "Bob: I have.")
        #expect(annAgain.readLine()?.hasSuffix(": I have.") == true)
        #expect(try bob.finish() == ["Everything is sent"])
        #expect(try annAgain.finish() == ["Everything is sent"])

        let client = try GraphQLClient(endpoint: town.endpoint, authorization: .apiKey(Self.key), schema: .app)
        let users = try await client.query(.list(User.all)).records.compactMap(\.value)
        #expect(users.map(\.username).sorted() == ["Ann", "Bob"])
        #expect(users.allSatisfy { $0.postcode == "SW1A 1AA" })
        let threads = try await client.query(.list(Neighbours.Thread.all)).records.compactMap(\.value)
        #expect(threads.map(\.location) == ["SW"])
        let members = try await client.query(.list(UserThread.all)).records.compactMap(\.value)
        #expect(Set(members.map(\.userID)) == Set(users.map(\.id)) && members.count == 2)
        #expect(members.allSatisfy { $0.threadID == threads.first?.id })
        town.stopServer()
    }

    @Test("people of different areas have conversations of their own")
    func areas() async throws {
        let town = try Town()
        for (name, postcode, area) in [("Ann", "SW1A 1AA", "SW"), ("Cleo", "M1 1AE", "M")] {
            let app = try town.app(name, postcode)
            #expect(app.readLine() == "Began \(area)")
            #expect(try app.finish() == ["Everything is sent"])
        }
        town.stopServer()
    }

    @Test("what was saved while no server answered is sent after the next start")
    func offline() async throws {
        let town = try Town()
        let ann = try town.app("Ann", "SW1A 1AA")
        #expect(ann.readLine() == "Began SW")
        #expect(try ann.finish() == ["Everything is sent"])

        town.stopServer()
        let offline = try town.app("Ann", "SW1A 1AA")
        #expect(offline.readLine() == "Joined SW")
        offline.type("Is anybody there?")
        #expect(offline.readLine() == "Ann: Is anybody there?")
        #expect(try offline.finish() == ["Not sent yet: 1"])

        try town.startServer()
        let bob = try town.app("Bob", "SW1A 1AA")
        #expect(bob.readLine() == "Joined SW")
        #expect(try town.app("Ann", "SW1A 1AA").finish().last == "Everything is sent")
        #expect(bob.readLine() == "Ann: Is anybody there?")
        #expect(try bob.finish() == ["Everything is sent"])
        town.stopServer()
    }

    @Test("a text that is no postcode ends the app with an error")
    func noPostcode() throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "nowhere-\(UInt64.random(in: 1 ... .max))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let app = try Program(
            "IsolationNation", [directory.path, "http://127.0.0.1:1/graphql", Self.key, "Dan", "nowhere"])
        #expect(try app.finish() == ["exit 1"])
    }
}
