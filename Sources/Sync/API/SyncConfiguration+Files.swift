public import TidelogFoundation
internal import TidelogJSON

extension SyncConfiguration {
    /// Reads the configuration from Amplify's file for an app: `amplifyconfiguration.json` of its first generation, or
    /// `amplify_outputs.json` of its second generation. If a file of the first generation names several APIs, the first API of
    /// GraphQL is used.
    ///
    /// The file sets ``endpoint``, ``region``, ``apiKey`` and ``defaultAuthorizationMode``. All other properties have their
    /// defaults.
    ///
    /// - Throws: ``SyncError`` with the code `invalidConfiguration`.
    public init(contentsOf url: URL) throws {
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: url))
        } catch {
            throw SyncError(
                .invalidConfiguration, "The file \(url.lastPathComponent) cannot be read.",
                recovery: "Check the path and its permissions.", underlying: error)
        }
        self.init()
        try read(bytes, url.lastPathComponent)
    }

    /// - Parameter name: The file's name, for errors.
    private mutating func read(_ bytes: [UInt8], _ name: String) throws {
        func refuse(_ message: String, cause: (any Error)? = nil) -> SyncError {
            SyncError(
                .invalidConfiguration, message,
                recovery: "Use amplifyconfiguration.json or amplify_outputs.json as Amplify wrote it.",
                underlying: cause)
        }
        let json: JSONValue
        do {
            json = try JSONValue(parsing: bytes)
        } catch {
            throw refuse("The file \(name) is not JSON.", cause: error)
        }
        guard let api = ConfiguredAPI(json) else { throw refuse("The file \(name) names no API of GraphQL.") }
        guard let text = api.endpoint, let url = URL(string: text), ["http", "https"].contains(url.scheme),
            url.host() != nil
        else {
            throw refuse("The file \(name) has no address of GraphQL: \(api.endpoint ?? "there is none").")
        }
        endpoint = url
        region = api.region
        apiKey = api.apiKey
        guard let type = api.authorizationType else { return }
        guard let mode = GraphQLAuthorization.Mode(amplifyType: type) else {
            throw refuse("The file \(name) has the mode of authorization \(type), which is not known.")
        }
        guard mode != .apiKey || apiKey != nil else {
            throw refuse("The file \(name) says that an API key is used, and has none.")
        }
        defaultAuthorizationMode = mode
    }
}

/// The data about the server in a configuration file.
private struct ConfiguredAPI {
    let endpoint: String?
    let region: String?
    let apiKey: String?
    let authorizationType: String?

    /// Reads the data. The result is `nil` if the file names no API.
    init?(_ file: JSONValue) {
        func text(_ object: JSONValue, _ name: String) -> String? {
            if case .string(let text)? = object[name], !text.isEmpty { text } else { nil }
        }
        // Files of the second generation have the members at the top level. Files of the first generation have them below the
        // name of an API.
        if let data = file["data"], case .object = data {
            endpoint = text(data, "url")
            region = text(data, "aws_region")
            apiKey = text(data, "api_key")
            authorizationType = text(data, "default_authorization_type")
            return
        }
        guard case .object(let members)? = file["api"]?["plugins"]?["awsAPIPlugin"],
            let api = members.map(\.value).first(where: { text($0, "endpointType") == "GraphQL" })
        else { return nil }
        endpoint = text(api, "endpoint")
        region = text(api, "region")
        apiKey = text(api, "apiKey")
        authorizationType = text(api, "authorizationType")
    }
}

extension GraphQLAuthorization.Mode {
    /// The mode that has this name in Amplify's files.
    fileprivate init?(amplifyType: String) {
        switch amplifyType {
        case "API_KEY": self = .apiKey
        case "AMAZON_COGNITO_USER_POOLS": self = .amazonCognitoUserPools
        case "OPENID_CONNECT": self = .openIDConnect
        case "AWS_LAMBDA": self = .function
        case "AWS_IAM": self = .awsIAM
        default: return nil
        }
    }
}
