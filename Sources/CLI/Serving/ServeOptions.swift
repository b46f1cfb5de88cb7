internal import Tidelog
internal import TidelogServer

/// The options of a server from the arguments of `serve`, checked as far as this is possible without a store.
struct ServeOptions: Sendable {
    let host: String
    let port: Int
    let identity: TLSIdentity?
    /// The key that callers send; `nil` if callers are recognised by tokens alone.
    let apiKey: String?
    /// The issuers that sign the tokens of callers.
    private let tokens: TokenOptions?
    let service: ServiceOptions
    /// The kind of the API.
    let kind: APIKind

    init(_ arguments: Arguments) throws {
        identity = try Self.identity(arguments)
        host = arguments.text("host") ?? (identity == nil ? "127.0.0.1" : "0.0.0.0")
        port = try arguments.number("port", in: 0...65_535) ?? 20_002
        tokens = try TokenOptions(arguments)
        apiKey = try Self.apiKey(arguments, hasTokens: tokens != nil)
        service = try Self.service(arguments)
        kind = try Self.kind(arguments)
    }

    private static func identity(_ arguments: Arguments) throws -> TLSIdentity? {
        switch (arguments.text("tls-cert"), arguments.text("tls-key")) {
        case (nil, nil): nil
        case (let certificate?, let key?): TLSIdentity(certificateFile: certificate, keyFile: key)
        default: throw UsageError("--tls-cert and --tls-key are given together.")
        }
    }

    /// The key from the arguments. If the arguments name neither a key nor an issuer of tokens, a key is made for this run.
    private static func apiKey(_ arguments: Arguments, hasTokens: Bool) throws -> String? {
        if let key = arguments.text("api-key") {
            guard (8...256).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw UsageError("--api-key takes 8 to 256 visible ASCII characters.")
            }
            return key
        }
        guard !hasTokens else { return nil }
        let letters = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)
        return "da2-" + String(decoding: try Secrets.randomBytes(26).map { letters[Int($0 & 31)] }, as: UTF8.self)
    }

    private static func kind(_ arguments: Arguments) throws -> APIKind {
        switch arguments.text("api") {
        case nil, "gen1": return .versioned
        case "gen2": break
        default: throw UsageError("--api is gen1 or gen2.")
        }
        let names = ["conflict", "delta-ttl", "tombstone-ttl", "strict-tombstones"]
        if let name = names.first(where: { arguments.has($0) }) {
            throw UsageError("--\(name) is for an API with versions, and --api gen2 has none.")
        }
        return .timestamps
    }

    private static func service(_ arguments: Arguments) throws -> ServiceOptions {
        var options = ServiceOptions()
        if let seconds = try arguments.number("delta-ttl", in: 0...31_536_000) {
            options.deltaAge = Int64(seconds) * 1_000
        }
        if let seconds = try arguments.number("tombstone-ttl", in: 1...315_360_000) {
            options.tombstoneAge = Int64(seconds) * 1_000
        }
        guard options.deltaAge <= options.tombstoneAge else {
            throw UsageError(
                "--delta-ttl is longer than --tombstone-ttl: clients would miss deletions. Raise --tombstone-ttl.")
        }
        if let count = try arguments.number("filter-limit", in: 1...65_536) {
            options.maximumComparedBytes = count << 20
        }
        if let count = try arguments.number("response-limit", in: 1...1_024) {
            options.maximumResponseBytes = count << 20
        }
        if let count = try arguments.number("responses-limit", in: 1...65_536) {
            options.maximumResponseBytesUnderWay = count << 20
        }
        guard options.maximumResponseBytes <= options.maximumResponseBytesUnderWay else {
            throw UsageError("--response-limit is more than --responses-limit: raise --responses-limit.")
        }
        for text in arguments.texts("conflict") {
            do { try options.setConflict(text) } catch { throw UsageError(error.message) }
        }
        options.keepsTombstones = arguments.has("strict-tombstones")
        options.isSelectionStrict = arguments.has("strict-selection")
        options.isIntStrict = arguments.has("strict-int")
        return options
    }

    /// Makes the authenticator that recognises callers as the arguments demand.
    func authenticator() throws -> Authenticator {
        let verifiers = try tokens?.verifiers() ?? (userPools: [], oidc: [])
        return Authenticator(apiKey: apiKey, userPools: verifiers.userPools, oidc: verifiers.oidc)
    }

    /// Amplify's names for the kinds of credentials that the server takes. Callers with the first kind may use models without
    /// rules.
    var authorizationTypes: [String] { (apiKey == nil ? [] : ["API_KEY"]) + (tokens?.authorizationTypes ?? []) }

    /// The URL of the GraphQL endpoint on `port`.
    func endpoint(port: Int) -> String { "\(identity == nil ? "http" : "https")://\(authority(port))/graphql" }

    /// The URL of the real-time endpoint on `port`.
    func realtime(port: Int) -> String { "\(identity == nil ? "ws" : "wss")://\(authority(port))/graphql/realtime" }

    /// The host and the port in the form of a URL. An address that stands for all addresses of this computer becomes
    /// `localhost`.
    private func authority(_ port: Int) -> String {
        let isAny = host == "0.0.0.0" || host == "::"
        return (isAny ? "localhost" : host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }
}

/// The issuers whose tokens are accepted.
private struct TokenOptions: Sendable {
    let keyFile: String
    let issuer: String?
    let oidcIssuer: String?
    let audiences: [String]

    /// The options for tokens from the arguments; `nil` if the arguments do not mention tokens.
    init?(_ arguments: Arguments) throws {
        let names = ["jwks", "issuer", "oidc-issuer", "audience"]
        guard names.contains(where: { arguments.has($0) }) else { return nil }
        issuer = arguments.text("issuer")
        oidcIssuer = arguments.text("oidc-issuer")
        audiences = arguments.texts("audience")
        guard let file = arguments.text("jwks"), issuer != nil || oidcIssuer != nil, !audiences.isEmpty,
            ([issuer, oidcIssuer].compactMap { $0 } + audiences).allSatisfy({ !$0.isEmpty })
        else { throw UsageError("Tokens need --jwks FILE, --issuer (or --oidc-issuer) and --audience together.") }
        guard issuer != oidcIssuer else { throw UsageError("--issuer and --oidc-issuer name the same issuer.") }
        keyFile = file
    }

    var authorizationTypes: [String] {
        (issuer == nil ? [] : ["AMAZON_COGNITO_USER_POOLS"]) + (oidcIssuer == nil ? [] : ["OPENID_CONNECT"])
    }

    func verifiers() throws -> (userPools: [TokenVerifier], oidc: [TokenVerifier]) {
        let keys: JSONWebKeySet
        do {
            keys = try JSONWebKeySet(parsing: InputSource(keyFile).readAll())
        } catch let error as CredentialError {
            guard case .invalidKeySet(let reason) = error else { throw error }
            throw CommandFailure(
                .usage, "invalidKeys", "\(keyFile) is no JSON Web Key Set: \(reason).",
                recovery: "Give the file that the issuer publishes as jwks.json.")
        }
        let verifiers = { (issuer: String?) in
            issuer.map { [TokenVerifier(keys: keys, issuer: $0, audiences: audiences)] } ?? []
        }
        return (verifiers(issuer), verifiers(oidcIssuer))
    }
}
