/// The credentials of a client: one mode of authorization, or several modes of which the first is the default.
///
/// ```swift
/// let authorization = GraphQLAuthorization.modes(
///     .amazonCognitoUserPools { refreshing in try await session.token(forceRefresh: refreshing) }, .apiKey(key))
/// ```
///
/// A client uses the default mode. A sync engine uses the remaining modes too if its configuration has the strategy
/// ``AuthModeStrategy/multiAuth``.
public struct GraphQLAuthorization: Sendable {
    /// The modes by which AppSync recognises callers, with Amplify's names.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// A key that every user of the app may have.
        case apiKey
        /// A token of a Cognito user pool.
        case amazonCognitoUserPools
        /// A token of another issuer.
        case openIDConnect
        /// A token for an authorization function of the server.
        case function
        /// A signature with keys of AWS. It is not supported.
        case awsIAM
    }

    /// Provides the token of the session. It is called for each request, so it must cache the token and refresh it in time.
    ///
    /// If the argument is `true`, the server has refused the last token, and a new one is needed. If the provider throws, there
    /// is no token: the client's call fails, and a sync engine waits and asks again. Throw ``SignedOut`` if the user is signed
    /// out.
    public typealias TokenProvider = @Sendable (_ refreshing: Bool) async throws -> String

    /// The error that a provider of tokens throws if the user is signed out. A sync engine with several modes then tries the
    /// next mode.
    public struct SignedOut: Error, Hashable {
        /// Makes the error.
        public init() {}
    }

    /// One mode with its credential.
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

    /// A token for an authorization function of the server, which is sent in the header field `Authorization`.
    public static func function(_ provider: @escaping TokenProvider) -> Self { Self(.function, provider) }

    /// A signature with keys of AWS. A client or an engine with this mode throws `invalidConfiguration`.
    public static let awsIAM = Self([Entry(mode: .awsIAM, secret: .unsupported)])

    /// A token of a user pool, from a closure that refreshes the token itself in time. It is called for each request.
    public static func token(_ provide: @escaping @Sendable () async throws -> String) -> Self {
        Self(.amazonCognitoUserPools) { _ in try await provide() }
    }

    /// Several modes; `first` is the default.
    public static func modes(_ first: Self, _ others: Self...) -> Self {
        Self(others.reduce(first.entries) { $0 + $1.entries })
    }

    // MARK: Checking

    /// The mode that is used unless the rules of a model choose another mode.
    public var defaultMode: Mode { entries[0].mode }

    /// All modes. The default is the first.
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
