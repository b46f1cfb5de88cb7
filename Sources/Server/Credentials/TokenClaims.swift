internal import TidelogJSON

/// The claims of a verified token: RFC 7519.
package struct TokenClaims: Sendable {
    private let members: [JSONMember]
    /// The subject of the token; empty if the token has none.
    package let subject: String
    /// The issuer of the token.
    package let issuer: String
    /// The time when the token expires, in seconds since 1970.
    package let expiresAt: Int64

    init(_ members: [JSONMember], subject: String, issuer: String, expiresAt: Int64) {
        self.members = members
        self.subject = subject
        self.issuer = issuer
        self.expiresAt = expiresAt
    }

    /// The user name from Cognito: `cognito:username` of id tokens, `username` of access tokens.
    package var username: String? { text("cognito:username") ?? text("username") }

    /// The groups from Cognito.
    package var groups: [String] { list("cognito:groups") ?? [] }

    /// The claim with the name `name`, if its value is a text.
    package func text(_ name: String) -> String? {
        guard case .string(let text) = value(name) else { return nil }
        return text
    }

    /// The claim with the name `name` as a list of texts. A single text becomes a list with one element.
    package func list(_ name: String) -> [String]? {
        switch value(name) {
        case .string(let text): return [text]
        case .array(let elements):
            let texts = elements.compactMap { element -> String? in
                guard case .string(let text) = element else { return nil }
                return text
            }
            return texts.count == elements.count ? texts : nil
        default: return nil
        }
    }

    /// Writes all claims as a JSON object.
    func write(to writer: inout JSONWriter) { JSONValue.object(members).write(to: &writer) }

    private func value(_ name: String) -> JSONValue? {
        members.first { $0.key.utf8.elementsEqual(name.utf8) }?.value
    }
}
