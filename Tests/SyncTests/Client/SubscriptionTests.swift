import ClientModels
import Foundation
import RawServer
import ServerSupport
import Testing
import Tidelog
import TidelogServer

@testable import TidelogClientMachines
@testable import TidelogSync
@testable import TidelogWebSocket

@Suite("Subscriptions of a client", .databaseToo, .timeLimit(.minutes(5)))
struct SubscriptionTests {
    @Test("subscriptions deliver creations, updates and deletions as typed records, if they match the filter")
    func events() async throws {
        try await RunningServer.serve(try GraphQLClientTests.sdl("blog"), Authenticator(apiKey: "da2-key")) { port in
            let client = try GraphQLClientTests.client(port)
            var created = try await client.subscribe(.onCreate(Blog.self)).makeAsyncIterator()
            var chosen = try await client.subscribe(
                .onCreate(Blog.self, where: Blog.keys.name.beginsWith("two") && Blog.keys.id != "x")
            ).makeAsyncIterator()
            var updated = try await client.subscribe(.onUpdate(Blog.self)).makeAsyncIterator()
            var deleted = try await client.subscribe(.onDelete(Blog.self)).makeAsyncIterator()
            _ = try await client.mutate(.create(Blog(id: "1", name: "one")))
            _ = try await client.mutate(.create(Blog(id: "2", name: "two")))
            _ = try await client.mutate(.update(Blog(id: "1", name: "three"), version: 1))
            _ = try await client.mutate(.delete(Blog.self, id: "1", version: 2))
            #expect(try await created.next()?.value?.name == "one")
            #expect(try await created.next()?.value?.name == "two")
            #expect(try await chosen.next()?.value?.id == "2")
            let update = try await updated.next()
            #expect(update?.value?.name == "three")
            #expect(update?.version == 2)
            guard case .deleted("1", let state?, let last?)? = try await deleted.next() else {
                Issue.record("The deletion is no deletion.")
                return
            }
            #expect(state.version == 3)
            #expect(last.name == "three")
        }
    }

    @Test("a subscription fails before it begins if the server is unreachable or refuses the caller or the document")
    func refusals() async throws {
        try await RunningServer.serve(try GraphQLClientTests.sdl("blog"), Authenticator(apiKey: "da2-key")) { port in
            let stranger = try GraphQLClientTests.client(port, .blog, .apiKey("no"))
            let refused = await clientFailure { () throws(GraphQLClientError) in
                _ = try await stranger.subscribe(.onCreate(Blog.self))
            }
            #expect(refused?.code == .unauthorized)
            let other = try GraphQLClientTests.client(port, .chat)
            let unknown = await clientFailure { () throws(GraphQLClientError) in
                _ = try await other.subscribe(.onCreate(ClientModels.Thread.self))
            }
            #expect(unknown?.code == .badRequest)
            #expect(unknown?.message.contains("onCreateThread") == true)
        }
        let nowhere = try GraphQLClientTests.client(1)
        let unreachable = await clientFailure { () throws(GraphQLClientError) in
            _ = try await nowhere.subscribe(.onCreate(Blog.self))
        }
        #expect(unreachable?.code == .transport)
    }

    @Test("a firewall that refuses a WebSocket is a failure of the transport, and a server that names an error is not")
    func firewall() async throws {
        for (field, code) in [("", GraphQLClientError.Code.transport), ("x-amzn-errortype: E\r\n", .unauthorized)] {
            let server = try RawServer { connection in
                _ = try connection.request()
                try connection.send("HTTP/1.1 403 Forbidden\r\n\(field)Content-Length: 6\r\n\r\n<html>")
            }
            let client = try GraphQLClientTests.client(server.port)
            let refused = await clientFailure { () throws(GraphQLClientError) in
                _ = try await client.subscribe(.onCreate(Blog.self))
            }
            #expect(refused?.code == code, "\(String(describing: refused))")
        }
    }

    @Test("a subscriber that is cancelled ends its own subscription, and no other")
    func cancellation() async throws {
        try await RunningServer.serve(try GraphQLClientTests.sdl("blog"), Authenticator(apiKey: "da2-key")) { port in
            let client = try GraphQLClientTests.client(port)
            let events = try await client.subscribe(.onCreate(Blog.self))
            var other = try await client.subscribe(.onCreate(Blog.self)).makeAsyncIterator()
            let task = Task {
                var count = 0
                for try await _ in events { count += 1 }
                return count
            }
            _ = try await client.mutate(.create(Blog(id: "1", name: "one")))
            #expect(try await other.next()?.value?.id == "1")
            task.cancel()
            #expect(try await task.value <= 1)
            _ = try await client.mutate(.create(Blog(id: "2", name: "two")))
            #expect(try await other.next()?.value?.id == "2")
        }
    }

    /// A server that accepts one subscription on each connection, and then runs `then`.
    private static func server(_ then: @escaping @Sendable (RawConnection, String) throws -> Void) throws -> RawServer {
        try RawServer { connection in
            let request = try connection.acceptWebSocket(subprotocol: "graphql-ws")
            #expect(request.hasPrefix("GET /graphql/realtime "))
            #expect(try connection.frame().text.contains("connection_init"))
            let send = { (text: String) in try connection.send(WebSocketFrame.bytes(.text, Array(text.utf8))) }
            try send(#"{"type":"connection_ack","payload":{"connectionTimeoutMs":1000}}"#)
            let start = try connection.frame().text
            let id = try #require(start.firstMatch(of: /"id":"([^"]*)"/)?.1)
            #expect(start.contains(#""x-api-key":"da2-key""#))
            #expect(start.contains(#""host":"127.0.0.1""#))
            try send(#"{"type":"start_ack","id":"\#(id)"}"#)
            try then(connection, String(id))
        }
    }

    @Test("a lost or silent connection ends its subscriptions with an error; the next subscription opens a new one")
    func losses() async throws {
        let lost = try Self.server { _, _ in }
        let client = try GraphQLClientTests.client(lost.port)
        for _ in 0..<2 {
            // The connection may be lost before the client has read that the subscription began.
            do {
                var events = try await client.subscribe(.onCreate(Blog.self)).makeAsyncIterator()
                _ = try await events.next()
                Issue.record("It does not fail.")
            } catch let error as GraphQLClientError {
                #expect(error.code == .transport)
            }
        }
        #expect(lost.connectionCount == 2)

        let silent = try Self.server { connection, _ in _ = connection.waitForEnd() }
        var events = try await GraphQLClientTests.client(silent.port).subscribe(.onCreate(Blog.self))
            .makeAsyncIterator()
        do {
            _ = try await events.next()
            Issue.record("It does not fail.")
        } catch let error as GraphQLClientError {
            #expect(error.code == .transport)
        }
    }

    @Test(
        "once a server has ended the last subscription of a connection, the next one opens a new connection")
    func endedByServer() async throws {
        let error = #"{"errors":[{"errorType":"UnauthorizedException","message":"m","errorCode":401}]}"#
        let server = try Self.server { connection, id in
            let text = #"{"type":"error","id":"\#(id)","payload":\#(error)}"#
            try connection.send(WebSocketFrame.bytes(.text, Array(text.utf8)))
            // A server that closes the connection now may take any time for it.
            _ = connection.waitForEnd()
        }
        let client = try GraphQLClientTests.client(server.port)
        for count in 1...3 {
            var events = try await client.subscribe(.onCreate(Blog.self)).makeAsyncIterator()
            do {
                _ = try await events.next()
                Issue.record("It does not fail.")
            } catch let error as GraphQLClientError {
                #expect(error.code == .unauthorized)
            }
            #expect(server.connectionCount == count)
        }
    }

    @Test("a subscription on a connection that the server is closing is begun on a new connection")
    func closingConnection() async throws {
        let server = try Self.server { connection, _ in
            // The connection ends when the client sends its second subscription.
            if try connection.frame().text.contains(#""type":"start""#) {
                try connection.send(WebSocketFrame.close(.goingAway, "over"))
            }
            _ = connection.waitForEnd()
        }
        let client = try GraphQLClientTests.client(server.port)
        let first = try await client.subscribe(.onCreate(Blog.self))
        let second = try await client.subscribe(.onCreate(Blog.self))
        #expect(server.connectionCount == 2)
        var lost = first.makeAsyncIterator()
        await #expect(throws: GraphQLClientError.self) { _ = try await lost.next() }
        _ = second
    }

    @Test("an error of one message is thrown once, and a regular end of the subscription ends the sequence")
    func messages() async throws {
        let server = try Self.server { connection, id in
            let payloads = [
                #"{"data":{"onCreateBlog":{"id":"1"}}}"#,
                #"{"data":{"onCreateBlog":null},"errors":[{"message":"m","errorType":"Unauthorized"}]}"#,
                #"{"data":{"onCreateBlog":{"id":"2","name":"two"}}}"#,
            ]
            for payload in payloads {
                let text = #"{"type":"data","id":"\#(id)","payload":\#(payload)}"#
                try connection.send(WebSocketFrame.bytes(.text, Array(text.utf8)))
            }
            let other = #"{"type":"data","id":"another","payload":{}}"#
            try connection.send(WebSocketFrame.bytes(.text, Array(other.utf8)))
            try connection.send(WebSocketFrame.bytes(.text, Array(#"{"type":"complete","id":"\#(id)"}"#.utf8)))
            _ = connection.waitForEnd()
        }
        var events = try await GraphQLClientTests.client(server.port).subscribe(.onCreate(Blog.self))
            .makeAsyncIterator()
        var codes: [GraphQLClientError.Code] = []
        for _ in 0..<2 {
            do { _ = try await events.next() } catch let error as GraphQLClientError { codes.append(error.code) }
        }
        #expect(codes == [.malformedResponse, .unauthorized])
        #expect(try await events.next()?.value?.id == "2")
        #expect(try await events.next() == nil)
    }
}
