/// Provides the tokens of a signed-in user. A subclass overrides the methods for the modes that the app uses.
open class APIAuthProviderFactory {
    /// Makes a factory without tokens.
    public init() {}

    /// The tokens of a user pool; `nil` if the app has none. Amplify takes these tokens from its own sign-in code.
    open func userPoolsAuthProvider() -> (any AmplifyUserPoolsAuthProvider)? { nil }

    /// The tokens of OpenID Connect; `nil` if the app has none.
    open func oidcAuthProvider() -> (any AmplifyOIDCAuthProvider)? { nil }

    /// The tokens for an authorization function; `nil` if the app has none.
    open func functionAuthProvider() -> (any AmplifyFunctionAuthProvider)? { nil }
}

/// Provides the latest token of a session.
public protocol AmplifyAuthTokenProvider: Sendable {
    /// Returns the latest token. It is called for each request, and again if the server refused the token.
    func getLatestAuthToken() async throws -> String
}

/// Provides tokens of a user pool.
public protocol AmplifyUserPoolsAuthProvider: AmplifyAuthTokenProvider {}

/// Provides tokens of OpenID Connect.
public protocol AmplifyOIDCAuthProvider: AmplifyAuthTokenProvider {}

/// Provides tokens for an authorization function.
public protocol AmplifyFunctionAuthProvider: AmplifyAuthTokenProvider {}
