/// The plugin for the server's API. Without this plugin, a store stays on its device.
public struct AWSAPIPlugin: Plugin {
    /// The plugin's name, which is the same as in Amplify.
    public var key: String { "awsAPIPlugin" }

    private let userPools: (any AmplifyUserPoolsAuthProvider)?
    private let oidc: (any AmplifyOIDCAuthProvider)?
    private let function: (any AmplifyFunctionAuthProvider)?

    /// Makes the plugin with the credentials of `apiAuthProviderFactory`, which is asked for its providers once, by this call.
    /// The API key of the configuration file needs no provider.
    public init(apiAuthProviderFactory: APIAuthProviderFactory = APIAuthProviderFactory()) {
        userPools = apiAuthProviderFactory.userPoolsAuthProvider()
        oidc = apiAuthProviderFactory.oidcAuthProvider()
        function = apiAuthProviderFactory.functionAuthProvider()
    }

    /// The credentials for the server that `server` names; `nil` if there are none.
    func authorization(_ server: SyncConfiguration) -> GraphQLAuthorization? {
        func tokens(_ provider: any AmplifyAuthTokenProvider) -> GraphQLAuthorization.TokenProvider {
            { _ in try await provider.getLatestAuthToken() }
        }
        var modes = [
            userPools.map { GraphQLAuthorization.amazonCognitoUserPools(tokens($0)) },
            oidc.map { .openIDConnect(tokens($0)) },
            function.map { .function(tokens($0)) },
            server.apiKey.map { .apiKey($0) },
        ].compactMap { $0 }
        // The default mode must come first.
        if let place = modes.firstIndex(where: { $0.defaultMode == server.defaultAuthorizationMode }) {
            modes.insert(modes.remove(at: place), at: 0)
        }
        return modes.first.map { modes.dropFirst().reduce($0) { .modes($0, $1) } }
    }
}
