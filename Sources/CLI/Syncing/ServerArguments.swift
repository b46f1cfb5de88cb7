internal import TidelogCurlTransport
internal import TidelogFoundation
internal import TidelogSync

/// The server that the arguments of a command name.
struct ServerArguments: Sendable {
    let endpoint: URL
    let key: String
    private let certificates: String?

    static let endpointOption = Option(
        name: "endpoint", value: "URL", help: "the server's address of GraphQL: https://…/graphql")
    static let keyOption = Option(name: "api-key", value: "KEY", help: "the key that the server knows")
    static let configurationOption = Option(
        name: "config", value: "FILE",
        help: "address and key, from amplifyconfiguration.json or amplify_outputs.json")
    static let certificatesOption = Option(
        name: "ca-cert", value: "FILE", help: "certificates in PEM that are trusted in place of the system's")

    init(_ arguments: Arguments) throws {
        certificates = arguments.text("ca-cert")
        let configuration = try arguments.text("config").map { try Self.configuration($0) }
        endpoint = try configuration?.endpoint ?? Self.endpoint(try arguments.required("endpoint"))
        if let configuration {
            guard let key = configuration.apiKey ?? arguments.text("api-key") else {
                throw CommandFailure(
                    .usage, SyncError.Code.invalidConfiguration.name, "The configuration has no API key.",
                    recovery: "The command line syncs with an API key: give it by --api-key.")
            }
            self.key = key
        } else {
            key = try arguments.required("api-key")
        }
    }

    private static func endpoint(_ text: String) throws -> URL {
        guard let url = URL(string: text), url.scheme == "http" || url.scheme == "https", url.host() != nil else {
            throw UsageError("--endpoint takes a URL of http or https, not \"\(text)\".")
        }
        return url
    }

    /// - Throws: ``CommandFailure`` with status 2 if the file is not a configuration of Amplify.
    private static func configuration(_ path: String) throws -> SyncConfiguration {
        do {
            return try SyncConfiguration(contentsOf: URL(fileURLWithPath: path))
        } catch let error as SyncError {
            throw CommandFailure(error, isUnfinished: false)
        }
    }

    var transport: CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.trustedCertificates = certificates
        return CurlTransport(configuration)
    }
}
