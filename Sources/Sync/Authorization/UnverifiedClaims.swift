internal import TidelogJSON
internal import TidelogWire

/// What a token says of its bearer. Nobody has checked it: only the server has the keys for that.
struct UnverifiedClaims: Sendable {
    private let claims: JSONValue

    /// The claims of a JSON Web Token, also one behind the word `Bearer`; `nil` if the text is none.
    init?(_ token: String) {
        let text = token.split(separator: " ").last ?? ""
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = Base64URL.decode(parts[1]), let claims = try? JSONValue(parsing: bytes),
            case .object = claims
        else { return nil }
        self.claims = claims
    }

    /// The claim called `name`, if it is a text that is not empty.
    func text(_ name: String) -> String? {
        guard case .string(let text)? = claims[name], !text.isEmpty else { return nil }
        return text
    }

    /// The texts of the claim called `name`: of a list, or one text.
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

/// The person whom a token names: its issuer, and its subject there.
struct Person: Sendable, Hashable {
    /// The issuer of the token; `nil` if it names none.
    let issuer: String?
    /// The person; `nil` if the token names none.
    let subject: String?

    /// The bearer of a key, or of a token that says nothing.
    static let nobody = Person(issuer: nil, subject: nil)

    init(issuer: String?, subject: String?) { (self.issuer, self.subject) = (issuer, subject) }

    init(token: String) {
        let claims = UnverifiedClaims(token)
        self.init(issuer: claims?.text("iss"), subject: claims?.text("sub"))
    }
}
