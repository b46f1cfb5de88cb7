internal import TidelogAgreement
internal import TidelogJSON

/// The claims of a token, which are not verified. Only the server has the keys to verify them.
struct UnverifiedClaims: Sendable {
    private let claims: JSONValue

    /// The claims of a JSON Web Token, which may follow the word `Bearer`; `nil` if the text is not such a token.
    init?(_ token: String) {
        let text = token.split(separator: " ").last ?? ""
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]), let claims = try? JSONValue(parsing: bytes),
            case .object = claims
        else { return nil }
        self.claims = claims
    }

    /// The claim called `name`, if it is a non-empty text.
    func text(_ name: String) -> String? {
        guard case .string(let text)? = claims[name], !text.isEmpty else { return nil }
        return text
    }

    /// The texts of the claim called `name`, which may be a list or a single text.
    func texts(_ name: String) -> [String] {
        switch claims[name] {
        case .string(let text)?: [text]
        case .array(let elements)?: elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
        default: []
        }
    }

    /// The name that Cognito gives the bearer: `cognito:username` of id tokens, `username` of access tokens.
    var username: String? { text("cognito:username") ?? text("username") }
}
