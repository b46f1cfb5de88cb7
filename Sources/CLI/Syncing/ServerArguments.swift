internal import TidelogJSON
internal import TidelogSync

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The server that a command talks to, as the arguments name it.
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
        let configuration = try arguments.text("config").map { try AppConfiguration($0) }
        let text = try configuration?.endpoint ?? arguments.required("endpoint")
        guard let url = URL(string: text), url.scheme == "http" || url.scheme == "https", url.host() != nil else {
            throw UsageError("--endpoint takes a URL of http or https, not \"\(text)\".")
        }
        endpoint = url
        key = try configuration?.key ?? arguments.required("api-key")
    }

    var transport: CurlTransport {
        var configuration = CurlTransport.Configuration()
        configuration.trustedCertificates = certificates
        return CurlTransport(configuration)
    }
}

/// What a configuration file of Amplify says about the server.
private struct AppConfiguration {
    let endpoint: String
    let key: String

    /// - Throws: ``CommandFailure`` with status 2 if the file has no address or no key.
    init(_ path: String) throws {
        let bytes: [UInt8]
        do {
            bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        } catch {
            throw CommandFailure(
                .failed, "inputOutput", "Could not read \(path).", recovery: "Check the path and its permissions.")
        }
        let json = try? JSONValue(parsing: bytes)
        // The second generation of Amplify has the members at the top, the first one below the name of an API.
        let data = json?["data"]
        var api: JSONValue?
        if case .object(let apis)? = json?["api"]?["plugins"]?["awsAPIPlugin"] {
            api = apis.first { $0.value["endpointType"]?.text == "GraphQL" }?.value
        }
        guard let endpoint = data?["url"]?.text ?? api?["endpoint"]?.text else {
            throw CommandFailure(
                .usage, "configurationMismatch", "\(path) names no GraphQL endpoint.",
                recovery: "Name amplifyconfiguration.json, amplify_outputs.json, or use --endpoint and --api-key.")
        }
        guard let key = data?["api_key"]?.text ?? api?["apiKey"]?.text else {
            throw CommandFailure(
                .usage, "configurationMismatch", "\(path) has no API key.",
                recovery: "The command line syncs with an API key: use --endpoint and --api-key.")
        }
        (self.endpoint, self.key) = (endpoint, key)
    }
}
