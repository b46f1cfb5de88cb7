import Foundation
import ServerSupport
import Testing
import Tidelog
import TidelogSDL
import TidelogServer
import TidelogSynchronization

@testable import TidelogSync

/// Devices of a server without versions, whose schema has an index by time.
@Suite("Catching up over an index by time", .timeLimit(.minutes(5)))
struct TimeIndexTests {
    /// A transport that keeps the requests, and counts the bytes of the responses.
    private final class RecordingTransport: Transport {
        private struct State {
            var requests: [String] = []
            var byteCount = 0
        }

        private let transport = CurlTransport()
        private let state = Mutex(State())

        /// The requests and the bytes of the responses since the last call.
        func take() -> (requests: [String], byteCount: Int) {
            state.withLock { state in
                defer { state = State() }
                return (state.requests, state.byteCount)
            }
        }

        func send(_ request: TransportRequest) async throws(TransportError) -> TransportResponse {
            let response = try await transport.send(request)
            state.withLock { state in
                state.requests.append(String(decoding: request.body, as: UTF8.self))
                state.byteCount += response.body.count
            }
            return response
        }

        func openWebSocket(_ request: WebSocketRequest) async throws(TransportError) -> any TransportWebSocket {
            try await transport.openWebSocket(request)
        }
    }

    private static let hour: Int64 = 3_600_000
    /// The time of the system's clock, in milliseconds.
    private static var present: Int64 { Int64(Date().timeIntervalSince1970 * 1_000) }

    private static func clock(_ now: Int64) -> HandSetClock {
        let clock = HandSetClock()
        (clock.now, clock.step) = (now, 1)
        return clock
    }

    private static let index =
        #"@index(name: "byTime", sortKeyFields: ["updatedAt"], queryField: "postsByBlogAndTime")"#

    /// A schema of posts in blogs.
    private static func sdl(_ index: String) -> String {
        """
        type Blog @model { id: ID! title: String posts: [Post] @hasMany(indexName: "byBlog", fields: ["id"]) }
        type Post @model {
          id: ID! title: String updatedAt: AWSDateTime
          blogID: ID! \(index) @index(name: "byBlog", queryField: "postsByBlog") blog: Blog @belongsTo(fields: ["blogID"])
        }
        """
    }

    private static func post(_ number: Int, _ title: String, in blog: Int) -> Record {
        Record(
            model: "Post",
            values: ["id": .string("post-\(number)"), "title": .string(title), "blogID": .string("blog-\(blog)")])
    }

    private static func titles(_ device: Device) async throws -> [String: String] {
        let posts = try await device.store.fetch(Record.all(of: "Post"))
        return Dictionary(uniqueKeysWithValues: posts.map { ("\($0["id"] ?? "-")", "\($0["title"] ?? "-")") })
    }

    @Test("a device receives the changes and the keys of all records, also of 60 partitions with pages of their own")
    func parents() async throws {
        let clock = Self.clock(Self.present - 2 * Self.hour)
        try await RunningServer.serve(
            Self.sdl(Self.index), Authenticator(apiKey: Device.key), adapter: .lmdb(), kind: .timestamps,
            environment: Service.Environment(clock: clock.read, randomBytes: Service.Environment.system.randomBytes)
        ) { port in
            let (writer, reader) = (
                try await Device(port, sdl: Self.sdl(Self.index)), try await Device(port, sdl: Self.sdl(Self.index))
            )
            let long = String(repeating: "A title of some length. ", count: 12)
            try await writer.store.write { transaction in
                for blog in 0..<60 {
                    try transaction.save(Record(model: "Blog", values: ["id": .string("blog-\(blog)")]))
                }
                for post in 0..<900 { try transaction.save(Self.post(post, long, in: post % 60)) }
            }
            try await writer.sync()
            clock.now += Self.hour
            try await writer.store.save(Self.post(0, "latest", in: 0))
            try await writer.sync()

            let transport = RecordingTransport()
            var configuration = SyncConfiguration()
            configuration.syncPageSize = 100
            let engine = try reader.engine(configuration, transport: transport)
            #expect(await engine.runOnce().failure == nil)
            let base = transport.take().byteCount
            #expect(try await Self.titles(reader) == Self.titles(writer))

            clock.now += Self.hour / 2
            for post in 100..<120 { try await writer.store.save(Self.post(post, "changed", in: post % 60)) }
            for post in 200..<205 { try await writer.store.delete("Post", id: RecordID("post-\(post)")) }
            // A new blog, and a post that moves there.
            try await writer.store.save(Record(model: "Blog", values: ["id": "blog-new"]))
            var moved = Self.post(300, "moved", in: 0)
            moved["blogID"] = "blog-new"
            try await writer.store.save(moved)
            try await writer.sync()
            let report = await engine.runOnce()
            #expect(report.failure == nil && report.problems.isEmpty)
            let (requests, byteCount) = transport.take()
            #expect(try await Self.titles(reader) == Self.titles(writer))
            #expect(!requests.contains { $0.contains("listPosts") }, "no list reads the table of posts")
            let pages = requests.filter { $0.contains("postsByBlogAndTime") }
            #expect(pages.contains { $0.contains(#""ge":"#) } && pages.contains { !$0.contains(#""ge":"#) })
            #expect(byteCount * 5 < base, "\(byteCount) of \(base)")
            #expect(try await engine.verify().differences == 0)
        }
    }

    @Test("if the server has no such index, the device compares the times of all records")
    func missing() async throws {
        try await RunningServer.serve(
            Self.sdl(""), Authenticator(apiKey: Device.key), adapter: .lmdb(), kind: .timestamps
        ) { port in
            let (writer, reader) = (
                try await Device(port, sdl: Self.sdl(Self.index)), try await Device(port, sdl: Self.sdl(Self.index))
            )
            try await writer.store.save(Record(model: "Blog", values: ["id": "blog-0"]))
            for post in 0..<3 { try await writer.store.save(Self.post(post, "first", in: 0)) }
            try await writer.sync()
            let transport = RecordingTransport()
            let engine = try reader.engine(transport: transport)
            #expect(await engine.runOnce().failure == nil)
            try await writer.store.save(Self.post(1, "second", in: 0))
            try await writer.store.delete("Post", id: "post-2")
            try await writer.sync()
            _ = transport.take()
            let report = await engine.runOnce()
            #expect(report.failure == nil && report.problems.isEmpty)
            let requests = transport.take().requests
            for query in ["postsByBlogAndTime", "listPosts"] { #expect(requests.contains { $0.contains(query) }) }
            #expect(try await Self.titles(reader) == Self.titles(writer))
        }
    }

    @Test(
        "with an index by owner and marked deletions, a device asks for the changes of its person alone",
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
    func owner() async throws {
        let sdl = """
            type Note @model @auth(rules: [{allow: owner}]) {
              id: ID! title: String tidelog: String deletedAt: AWSDateTime updatedAt: AWSDateTime
              owner: String @index(name: "byOwner", sortKeyFields: ["updatedAt"], queryField: "notesByOwner")
            }
            """
        let issuer = try TokenIssuer()
        let clock = Self.clock(Self.present)
        try await RunningServer.serve(
            sdl, issuer.authenticator(), adapter: .lmdb(), kind: .timestamps,
            environment: Service.Environment(clock: clock.read, randomBytes: Service.Environment.system.randomBytes)
        ) { port in
            func device(_ name: String) async throws -> (Device, SyncEngine, RecordingTransport) {
                let (device, transport) = (try await Device(port, sdl: sdl), RecordingTransport())
                let token = try issuer.token(name, seconds: 20_000)
                let authorization = GraphQLAuthorization.amazonCognitoUserPools { _ in token }
                return (device, try device.engine(as: authorization, transport: transport), transport)
            }
            let (writer, writing, _) = try await device("anna")
            let (reader, reading, transport) = try await device("anna")
            let (other, others, _) = try await device("ben")
            for number in 0..<5 {
                try await writer.store.save(
                    Record(model: "Note", values: ["id": .string("n\(number)"), "title": "first"]))
                try await other.store.save(
                    Record(model: "Note", values: ["id": .string("other-\(number)"), "title": "of ben"]))
            }
            for engine in [writing, others, reading] { #expect(await engine.runOnce().failure == nil) }
            clock.now += Self.hour
            var note = try #require(try await writer.store.record("Note", id: "n1"))
            note["title"] = "second"
            try await writer.store.save(note)
            try await writer.store.delete("Note", id: "n2")
            #expect(await writing.runOnce().failure == nil)
            _ = transport.take()
            let report = await reading.runOnce()
            #expect(report.failure == nil && report.problems.isEmpty)
            let requests = transport.take().requests
            #expect(requests.count == 1 && requests[0].contains("notesByOwner"), "\(requests)")
            let notes = try await reader.store.fetch(Record.all(of: "Note")).map { $0["title"] }
            #expect(notes == ["first", "second", "first", "first"])
            // The server keeps the deleted note, and the same id can be used again.
            try await reader.store.save(Record(model: "Note", values: ["id": "n2", "title": "again"]))
            #expect(await reading.runOnce().failure == nil)
            clock.now += Self.hour
            #expect(await writing.runOnce().failure == nil)
            let titles = try await writer.store.fetch(Record.all(of: "Note")).map { $0["title"] }
            #expect(titles == ["first", "second", "again", "first", "first"])
            #expect(try await reading.verify().differences == 0)
        }
    }
}
