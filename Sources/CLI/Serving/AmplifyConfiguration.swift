internal import TidelogJSON
internal import TidelogPlatform

/// The configuration of a server for an Amplify app, in the form of `amplifyconfiguration.json`.
struct AmplifyConfiguration {
    /// The URL of the GraphQL endpoint.
    let endpoint: String
    /// The API key; `nil` if callers are recognised by tokens.
    let apiKey: String?
    /// Whether an issuer other than a user pool signs the tokens.
    let isOIDC: Bool

    /// The content of the file.
    var json: [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("UserAgent", "tidelog/\(Version.current)")
        writer.member("Version", "1.0")
        for key in ["api", "plugins", "awsAPIPlugin", "tidelog"] {
            writer.key(key)
            writer.beginObject()
        }
        writer.member("endpointType", "GraphQL")
        writer.member("endpoint", endpoint)
        // No client calls a region, but some clients refuse a name that they do not know.
        writer.member("region", "us-east-1")
        writer.member("authorizationType", authorizationType)
        if let apiKey { writer.member("apiKey", apiKey) }
        for _ in 0..<5 { writer.endObject() }
        writer.endLine()
        return writer.bytes
    }

    private var authorizationType: String {
        if apiKey != nil { return "API_KEY" }
        return isOIDC ? "OPENID_CONNECT" : "AMAZON_COGNITO_USER_POOLS"
    }

    /// Writes the file, either whole or not at all. It contains the API key, so only its owner may read it.
    ///
    /// - Throws: ``CommandFailure``.
    func write(to path: String) throws {
        let temporary = path + ".\(System.processID).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandFailure.file("create", temporary, errno) }
        let error = json.withUnsafeBytes { System.write($0, to: descriptor) }
        close(descriptor)
        guard error == 0, rename(temporary, path) == 0 else {
            let error = error == 0 ? errno : error
            unlink(temporary)
            throw CommandFailure.file("write", path, error)
        }
    }
}
