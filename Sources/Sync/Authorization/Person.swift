internal import TidelogAgreement
internal import TidelogJSON

/// The person in a token: the issuer of the token, and its subject at that issuer.
struct Person: Sendable, Hashable {
    /// The issuer of the token; `nil` if it names none.
    let issuer: String?
    /// The person; `nil` if the token names none.
    let subject: String?

    /// The person of a key, or of a token without such claims.
    static let nobody = Person(issuer: nil, subject: nil)

    init(issuer: String?, subject: String?) { (self.issuer, self.subject) = (issuer, subject) }

    init(token: String) {
        let claims = UnverifiedClaims(token)
        self.init(issuer: claims?.text("iss"), subject: claims?.text("sub"))
    }
}
