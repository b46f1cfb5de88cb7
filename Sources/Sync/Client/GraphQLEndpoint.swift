#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The address of a server's API of GraphQL, the network to it, and the caller's credentials.
struct GraphQLEndpoint: Sendable {
    let url: URL
    let authorization: GraphQLAuthorization
    let transport: any Transport

    init(_ url: URL, _ authorization: GraphQLAuthorization, _ transport: any Transport) {
        (self.url, self.authorization, self.transport) = (url, authorization, transport)
    }

    /// Posts the request that `body` is, and returns the response with any status.
    ///
    /// - Throws: ``GraphQLClientError`` with the code `noToken` or `transport`.
    func post(
        _ body: [UInt8], headers: [String: String] = [:], timeout: Duration = .seconds(60)
    ) async throws(GraphQLClientError) -> TransportResponse {
        var headers = headers.merging(try await authorization.header()) { $1 }
        headers["Content-Type"] = "application/json"
        headers["Accept"] = "application/json"
        do throws(TransportError) {
            return try await transport.send(
                TransportRequest("POST", url, headers: headers, body: body, timeout: timeout))
        } catch {
            throw GraphQLClientError(error)
        }
    }
}
