/// Who makes a request, as their credentials say.
package struct Caller: Sendable {
    /// How the caller was recognised.
    package let provider: AccessRule.Provider
    /// What the caller's token says; `nil` for an API key.
    package let claims: TokenClaims?

    /// Anyone who has the API key.
    package static let apiKey = Caller(provider: .apiKey, claims: nil)

    /// The bearer of a token that was verified: of a user pool, or of another issuer (`oidc`).
    package static func token(_ claims: TokenClaims, of provider: AccessRule.Provider) -> Caller {
        precondition(provider == .userPools || provider == .oidc, "tokens are of a user pool or of another issuer")
        return Caller(provider: provider, claims: claims)
    }

    private init(provider: AccessRule.Provider, claims: TokenClaims?) {
        (self.provider, self.claims) = (provider, claims)
    }

    /// A name that no other caller has: requests of one identity are those of one person, or of all with the API key.
    package var identity: String {
        guard let claims else { return provider.rawValue }
        // The length keeps an issuer and a subject from reading like another pair.
        let subject = "\(claims.subject.utf8.count) \(claims.subject) \(claims.username ?? "")"
        return "\(provider.rawValue) \(claims.issuer.utf8.count) \(claims.issuer) \(subject)"
    }

    /// When the credentials expire, in seconds since 1970; `nil` if they do not.
    package var expiresAt: Int64? { claims?.expiresAt }
}
