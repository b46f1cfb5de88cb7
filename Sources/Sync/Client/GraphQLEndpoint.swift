#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The URL of a server's GraphQL API, the transport to it, and the caller's credentials.
struct GraphQLEndpoint: Sendable {
    let url: URL
    let credentials: Credentials
    let transport: any Transport

    init(_ url: URL, _ authorization: GraphQLAuthorization, _ transport: any Transport) {
        (self.url, self.transport) = (url, transport)
        credentials = Credentials(authorization)
    }

    /// Posts a request with `body`, and returns the response with any status. If the server refuses the token, the request is
    /// sent once more with a new token.
    ///
    /// - Parameter mode: The mode of authorization; `nil` for the default.
    /// - Throws: ``GraphQLClientError`` with the code `noToken` or `transport`.
    func post(
        _ body: [UInt8], by mode: GraphQLAuthorization.Mode? = nil, headers: [String: String] = [:],
        timeout: Duration = .seconds(60)
    ) async throws(GraphQLClientError) -> TransportResponse {
        let credential = try await credentials.credential(mode)
        let response = try await post(body, credential, headers, timeout)
        guard response.refusesCaller, let next = try await credentials.credential(inPlaceOf: credential) else {
            return response
        }
        return try await post(body, next, headers, timeout)
    }

    private func post(
        _ body: [UInt8], _ credential: Credential, _ headers: [String: String], _ timeout: Duration
    ) async throws(GraphQLClientError) -> TransportResponse {
        var headers = headers.merging(credential.headers) { $1 }
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

extension TransportResponse {
    /// Whether the server does not know who the caller is.
    fileprivate var refusesCaller: Bool {
        guard status == 401 || status == 403 else { return false }
        return (try? ServerResponse(self, field: ""))?.refusesCaller ?? false
    }
}
