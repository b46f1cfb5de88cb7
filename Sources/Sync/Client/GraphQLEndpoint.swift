internal import TidelogFoundation

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
    /// sent again with a new token.
    ///
    /// - Parameters:
    ///   - mode: The mode of authorization; `nil` for the default.
    ///   - isRepeatable: Whether the transport itself may send the request again, which holds for queries.
    /// - Throws: ``GraphQLClientError`` with the code `noToken` or `transport`.
    func post(
        _ body: [UInt8], isRepeatable: Bool, by mode: GraphQLAuthorization.Mode? = nil,
        headers: [String: String] = [:], timeout: Duration = .seconds(60)
    ) async throws(GraphQLClientError) -> TransportResponse {
        let credential = try await credentials.credential(mode)
        let headers = headers.merging(["Content-Type": "application/json", "Accept": "application/json"]) { $1 }
        let request = TransportRequest(
            "POST", url, headers: headers, body: body, timeout: timeout, isRepeatable: isRepeatable)
        let response = try await send(request, credential)
        guard response.refusesCaller, let next = try await credentials.credential(inPlaceOf: credential) else {
            return response
        }
        return try await send(request, next)
    }

    private func send(
        _ request: TransportRequest, _ credential: Credential
    ) async throws(GraphQLClientError) -> TransportResponse {
        var request = request
        request.headers.merge(credential.headers) { own, _ in own }
        do throws(TransportError) {
            return try await transport.send(request)
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
