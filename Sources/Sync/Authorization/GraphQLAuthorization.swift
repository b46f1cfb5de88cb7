/// How a client shows a server who it is: by one mode, or by several of which the first is the default.
///
/// ```swift
/// let authorization = GraphQLAuthorization.modes(
///     .amazonCognitoUserPools { refreshing in try await session.token(forceRefresh: refreshing) }, .apiKey(key))
/// ```
///
/// A client uses the default mode. A sync engine uses the other modes too if its configuration says
/// ``AuthModeStrategy/multiAuth``.
public struct GraphQLAuthorization: Sendable {
    /// The modes by which AppSync recognises callers, with the names that Amplify has for them.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// A key, which everybody may have who has the app.
        case apiKey
        /// A token of a Cognito user pool.
        case amazonCognitoUserPools
        /// A token of another issuer.
        case openIDConnect
        /// A token for a function of the server's.
        case function
        /// A signature with keys of AWS. It is not supported.
        case awsIAM
    }

    /// Gives the token of the session; called for each request, so it caches the token and refreshes it when that is due.
    ///
    /// With `true` the server has refused the token that the provider gave before, and a new one is needed. A provider that
    /// throws has no token: the client's call fails, and a sync engine waits and asks again. Throw ``SignedOut`` if nobody is
    /// signed in.
    public typealias TokenProvider = @Sendable (_ refreshing: Bool) async throws -> String

    /// Thrown by a provider of tokens if nobody is signed in: then a sync engine with several modes tries the next one.
    public struct SignedOut: Error, Hashable {
        /// The error.
        public init() {}
    }

    /// One mode and what it needs.
    struct Entry: Sendable {
        enum Secret: Sendable {
            case key(String)
            case tokens(TokenProvider)
            case unsupported
        }

        let mode: Mode
        let secret: Secret
    }

    let entries: [Entry]

    private init(_ entries: [Entry]) { self.entries = entries }

    private init(_ mode: Mode, _ provider: @escaping TokenProvider) {
        entries = [Entry(mode: mode, secret: .tokens(provider))]
    }

    // MARK: Modes

    /// A key, which is sent in the header field `x-api-key`.
    public static func apiKey(_ key: String) -> Self { Self([Entry(mode: .apiKey, secret: .key(key))]) }

    /// A token of a Cognito user pool, which is sent in the header field `Authorization`.
    public static func amazonCognitoUserPools(_ provider: @escaping TokenProvider) -> Self {
        Self(.amazonCognitoUserPools, provider)
    }

    /// A token of another issuer, which is sent in the header field `Authorization`.
    public static func openIDConnect(_ provider: @escaping TokenProvider) -> Self { Self(.openIDConnect, provider) }

    /// A token for a function of the server's, which is sent in the header field `Authorization`.
    public static func function(_ provider: @escaping TokenProvider) -> Self { Self(.function, provider) }

    /// A signature with keys of AWS. A client or an engine with this mode throws `invalidConfiguration`.
    public static let awsIAM = Self([Entry(mode: .awsIAM, secret: .unsupported)])

    /// A token of a user pool, from a closure that itself knows when a new one is due. It is called for each request.
    public static func token(_ provide: @escaping @Sendable () async throws -> String) -> Self {
        Self(.amazonCognitoUserPools) { _ in try await provide() }
    }

    /// Several modes; `first` is the default.
    public static func modes(_ first: Self, _ others: Self...) -> Self {
        Self(others.reduce(first.entries) { $0 + $1.entries })
    }

    // MARK: Checking

    /// The mode that is used unless the rules of a model choose another one.
    public var defaultMode: Mode { entries[0].mode }

    /// All modes, the default first.
    public var allModes: [Mode] { entries.map(\.mode) }

    /// - Throws: ``GraphQLClientError`` with the code `invalidConfiguration` for a mode that is not supported or comes twice.
    func check() throws(GraphQLClientError) {
        if allModes.contains(.awsIAM) {
            throw GraphQLClientError(
                .invalidConfiguration,
                "Authorization by IAM is not supported. Use an API key, or a token of a user pool, of OIDC or for "
                    + "a function.")
        }
        if Set(allModes).count < allModes.count {
            throw GraphQLClientError(
                .invalidConfiguration, "The authorization has a mode twice. Give each mode once, the default first.")
        }
    }
}
