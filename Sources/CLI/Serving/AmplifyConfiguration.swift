internal import TidelogJSON
internal import TidelogPlatform

/// The configuration of a server for an Amplify app: `amplifyconfiguration.json` of Amplify's first generation, or
/// `amplify_outputs.json` of its second generation.
struct AmplifyConfiguration {
    /// The generations of Amplify, whose files differ in shape.
    enum Generation {
        case first, second

        /// The generation whose file has the name of the file at `path`. Every name except `amplify_outputs.json` stands for a
        /// file of the first generation.
        init(path: String) {
            self = path.split(separator: "/").last == "amplify_outputs.json" ? .second : .first
        }
    }

    /// The URL of the GraphQL endpoint.
    let endpoint: String
    /// The API key; `nil` if callers are recognised by tokens alone.
    let apiKey: String?
    /// Amplify's names for the kinds of credentials that the server takes. The first name is the default.
    let authorizationTypes: [String]
    /// The description of the models for clients of the second generation.
    let modelIntrospection: JSONValue

    // No client calls a region, but some clients refuse a name that they do not know.
    private static let region = "us-east-1"

    /// The content of the file of `generation`.
    func json(for generation: Generation) -> [UInt8] {
        JSONWriter.line { writer in
            switch generation {
            case .first: writeFirst(to: &writer)
            case .second: writeSecond(to: &writer)
            }
        }
    }

    private func writeFirst(to writer: inout JSONWriter) {
        writer.member("UserAgent", "tidelog/\(Tool.version)")
        writer.member("Version", "1.0")
        for key in ["api", "plugins", "awsAPIPlugin", "tidelog"] {
            writer.key(key)
            writer.beginObject()
        }
        writer.member("endpointType", "GraphQL")
        writer.member("endpoint", endpoint)
        writer.member("region", Self.region)
        writer.member("authorizationType", authorizationTypes[0])
        if let apiKey { writer.member("apiKey", apiKey) }
        for _ in 0..<4 { writer.endObject() }
    }

    private func writeSecond(to writer: inout JSONWriter) {
        writer.member("version", "1.4")
        writer.object("data") { writer in
            writer.member("url", endpoint)
            writer.member("aws_region", Self.region)
            if let apiKey { writer.member("api_key", apiKey) }
            writer.member("default_authorization_type", authorizationTypes[0])
            writer.texts("authorization_types", authorizationTypes)
            writer.key("model_introspection")
            modelIntrospection.write(to: &writer)
        }
    }

    /// Writes the file, either whole or not at all. It contains the API key, so only its owner may read it. The name of the
    /// file decides which generation of Amplify can read it.
    ///
    /// - Throws: ``CommandFailure``.
    func write(to path: String) throws {
        let temporary = path + ".\(System.processID).new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CommandFailure.file("create", temporary, errno) }
        let error = json(for: Generation(path: path)).withUnsafeBytes { System.write($0, to: descriptor) }
        close(descriptor)
        guard error == 0, rename(temporary, path) == 0 else {
            let error = error == 0 ? errno : error
            unlink(temporary)
            throw CommandFailure.file("write", path, error)
        }
    }
}
