internal import TidelogJSON

/// The claims of a verified token: RFC 7519.
package struct TokenClaims: Sendable {
    private let members: [JSONValue.Member]
    /// The subject of the token; empty if the token has none.
    package let subject: String
    /// The issuer of the token.
    package let issuer: String
    /// The time when the token expires, in seconds since 1970.
    package let expiresAt: Int64

    init(_ members: [JSONValue.Member], subject: String, issuer: String, expiresAt: Int64) {
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

    /// The claim with the name `name` as a list of texts. A single text becomes a list with one element, unless it is a list in
    /// JSON: Cognito's custom attributes are texts, so an attribute with several values is such a text.
    package func list(_ name: String) -> [String]? {
        switch value(name) {
        case .string(let text):
            guard case .array(let elements)? = try? JSONValue(parsing: Array(text.utf8)) else { return [text] }
            return Self.texts(elements)
        case .array(let elements): return Self.texts(elements)
        default: return nil
        }
    }

    /// The texts in `elements`; `nil` if one of the elements is no text.
    private static func texts(_ elements: [JSONValue]) -> [String]? {
        let texts = elements.compactMap { element -> String? in
            guard case .string(let text) = element else { return nil }
            return text
        }
        return texts.count == elements.count ? texts : nil
    }

    /// Writes all claims as a JSON object.
    func write(to writer: inout JSONWriter) { JSONValue.object(members).write(to: &writer) }

    private func value(_ name: String) -> JSONValue? {
        members.first { $0.key.utf8.elementsEqual(name.utf8) }?.value
    }
}
