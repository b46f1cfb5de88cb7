internal import TidelogJSON

/// What a token that was verified says of its bearer: RFC 7519.
package struct TokenClaims: Sendable {
    private let members: [JSONMember]
    /// Who the token is about; empty if it does not say.
    package let subject: String
    /// Who issued it.
    package let issuer: String
    /// When it expires, in seconds since 1970.
    package let expiresAt: Int64

    init(_ members: [JSONMember], subject: String, issuer: String, expiresAt: Int64) {
        self.members = members
        self.subject = subject
        self.issuer = issuer
        self.expiresAt = expiresAt
    }

    /// The name that Cognito gives the bearer: `cognito:username` of id tokens, `username` of access tokens.
    package var username: String? { text("cognito:username") ?? text("username") }

    /// The groups that Cognito lists.
    package var groups: [String] { list("cognito:groups") ?? [] }

    /// The claim called `name`, if it is text.
    package func text(_ name: String) -> String? {
        guard case .string(let text) = value(name) else { return nil }
        return text
    }

    /// The claim called `name` as a list of texts, if it is one, or one text.
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
