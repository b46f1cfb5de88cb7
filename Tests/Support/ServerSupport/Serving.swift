package import TidelogServer

/// Starts a listener on its own port, runs `body` with it, and stops the listener.
package func serving(
    _ service: ListenerService = .echo, limits: ListenerLimits = ListenerLimits(), identity: TLSIdentity? = nil,
    _ body: (Listener) async throws -> Void
) async throws {
    let listener = try await Listener.start(
        Listener.Configuration(port: 0, identity: identity, limits: limits), service: service)
    do {
        try await body(listener)
    } catch {
        await listener.stop(within: .seconds(2))
        throw error
    }
    await listener.stop(within: .seconds(2))
}

extension ListenerService {
    /// A service that answers each request with its own content. WebSockets send back the messages that they receive.
    package static let echo = ListenerService(
        respond: { request in
            let text = "\(request.method) \(request.path) \(request.body.count)"
            return HTTPResponse(status: 200, headers: ["Content-Type": "text/plain"], body: Array(text.utf8))
        },
        accept: { offer in
            guard offer.subprotocols.contains("graphql-ws") else {
                return .refuse(HTTPResponse(status: 400, text: "speak graphql-ws"))
            }
            return .accept(subprotocol: "graphql-ws") { connection in
                for await message in connection.incoming { connection.send(message) }
            }
        },
        refuse: { refusal, _ in
            HTTPResponse(
                status: refusal.status, headers: ["X-Refusal": "\(refusal.status)"], body: Array("{}".utf8))
        })
}
