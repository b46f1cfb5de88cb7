/// How a client shows a server who it is.
public enum GraphQLAuthorization: Sendable {
    /// A key, which is sent in the header field `x-api-key`.
    case apiKey(String)
    /// A token of a user pool, of OIDC or for a function, which is sent in the header field `Authorization`.
    ///
    /// The closure is called for each request, so it caches the token and refreshes it when that is due.
    case token(@Sendable () async throws -> String)

    /// The header field, by its name.
    func header() async throws(GraphQLClientError) -> [String: String] {
        switch self {
        case .apiKey(let key): return ["x-api-key": key]
        case .token(let provide):
            do {
                return ["Authorization": try await provide()]
            } catch {
                throw GraphQLClientError(.noToken, "The provider of tokens gave none.", cause: error)
            }
        }
    }
}
