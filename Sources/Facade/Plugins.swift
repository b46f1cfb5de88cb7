public import Foundation

/// The store of an app.
public struct AWSDataStorePlugin: Plugin {
    /// The plugin's name, which is Amplify's.
    public var key: String { "awsDataStorePlugin" }

    let registration: any AmplifyModelRegistration
    let configuration: DataStoreConfiguration
    let directory: URL?

    /// A store of the models that `modelRegistration` has.
    ///
    /// - Parameters:
    ///   - modelRegistration: The type that the option `registration: AmplifyModels` of the schema generates.
    ///   - configuration: The choices of the app about syncing.
    ///   - directory: The directory of the store; `nil` for one in the app's own support directory.
    public init(
        modelRegistration: any AmplifyModelRegistration, configuration: DataStoreConfiguration = .default,
        directory: URL? = nil
    ) {
        (registration, self.configuration, self.directory) = (modelRegistration, configuration, directory)
    }
}

/// The server's API: without this plugin a store stays on its device.
public struct AWSAPIPlugin: Plugin {
    /// The plugin's name, which is Amplify's.
    public var key: String { "awsAPIPlugin" }

    let authProviders: APIAuthProviderFactory

    /// An API with the credentials of `apiAuthProviderFactory`; the configuration file's API key needs none.
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
        // The default comes first.
        if let place = modes.firstIndex(where: { $0.defaultMode == server.defaultAuthorizationMode }) {
            modes.insert(modes.remove(at: place), at: 0)
        }
        return modes.first.map { modes.dropFirst().reduce($0) { .modes($0, $1) } }
    }
}

/// Gives the tokens of a person who signed in. A subclass overrides the modes that the app has.
///
/// Sound to share, since it has no state. A subclass must protect its own.
open class APIAuthProviderFactory: @unchecked Sendable {
    /// A factory that has no tokens.
    public init() {}

    /// The tokens of a user pool; `nil` if the app has none. Amplify takes these from its own sign-in.
    open func userPoolsAuthProvider() -> (any AmplifyUserPoolsAuthProvider)? { nil }

    /// The tokens of OpenID Connect; `nil` if the app has none.
    open func oidcAuthProvider() -> (any AmplifyOIDCAuthProvider)? { nil }

    /// The tokens for a function that authorizes; `nil` if the app has none.
    open func functionAuthProvider() -> (any AmplifyFunctionAuthProvider)? { nil }
}

/// Gives the latest token of a session.
public protocol AmplifyAuthTokenProvider: Sendable {
    /// The latest token. It is called for each request, and again if the server refused the token.
    func getLatestAuthToken() async throws -> String
}

/// Gives tokens of a user pool.
public protocol AmplifyUserPoolsAuthProvider: AmplifyAuthTokenProvider {}

/// Gives tokens of OpenID Connect.
public protocol AmplifyOIDCAuthProvider: AmplifyAuthTokenProvider {}

/// Gives tokens for a function that authorizes.
public protocol AmplifyFunctionAuthProvider: AmplifyAuthTokenProvider {}
