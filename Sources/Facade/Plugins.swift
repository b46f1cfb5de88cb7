public import Foundation

/// The plugin for the store of an app.
public struct AWSDataStorePlugin: Plugin {
    /// The plugin's name, which is the same as in Amplify.
    public var key: String { "awsDataStorePlugin" }

    let registration: any AmplifyModelRegistration
    let configuration: DataStoreConfiguration
    let directory: URL?

    /// Makes the plugin for a store of the models in `modelRegistration`.
    ///
    /// - Parameters:
    ///   - modelRegistration: The type that the schema's option `registration: AmplifyModels` generates.
    ///   - configuration: The settings of the app for syncing.
    ///   - directory: The directory of the store; `nil` for a directory in the app's support directory.
    public init(
        modelRegistration: any AmplifyModelRegistration, configuration: DataStoreConfiguration = .default,
        directory: URL? = nil
    ) {
        (registration, self.configuration, self.directory) = (modelRegistration, configuration, directory)
    }
}

/// The plugin for the server's API. Without this plugin, a store stays on its device.
public struct AWSAPIPlugin: Plugin {
    /// The plugin's name, which is the same as in Amplify.
    public var key: String { "awsAPIPlugin" }

    let authProviders: APIAuthProviderFactory

    /// Makes the plugin with the credentials of `apiAuthProviderFactory`. The API key of the configuration file needs no
    /// provider.
    public init(apiAuthProviderFactory: APIAuthProviderFactory = APIAuthProviderFactory()) {
        authProviders = apiAuthProviderFactory
    }
}

extension AWSAPIPlugin {
    /// The credentials for the server that `server` names; `nil` if there are none.
    func authorization(_ server: SyncConfiguration) -> GraphQLAuthorization? {
        func tokens(_ provider: any AmplifyAuthTokenProvider) -> GraphQLAuthorization.TokenProvider {
            { _ in try await provider.getLatestAuthToken() }
        }
        var modes = [
            authProviders.userPoolsAuthProvider().map { GraphQLAuthorization.amazonCognitoUserPools(tokens($0)) },
            authProviders.oidcAuthProvider().map { .openIDConnect(tokens($0)) },
            authProviders.functionAuthProvider().map { .function(tokens($0)) },
            server.apiKey.map { .apiKey($0) },
        ].compactMap { $0 }
        // The default mode must come first.
        if let place = modes.firstIndex(where: { $0.defaultMode == server.defaultAuthorizationMode }) {
            modes.insert(modes.remove(at: place), at: 0)
        }
        return modes.first.map { modes.dropFirst().reduce($0) { .modes($0, $1) } }
    }
}

/// Provides the tokens of a signed-in user. A subclass overrides the methods for the modes that the app uses.
///
/// Soundness of `@unchecked Sendable`: the class has no state. A subclass must protect its own state.
open class APIAuthProviderFactory: @unchecked Sendable {
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
