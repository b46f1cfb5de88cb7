package import TidelogAgreement

/// The caller of a request, recognised by its credentials.
package struct Caller: Sendable {
    /// How the caller was recognised.
    package let provider: AccessRule.Provider
    /// The claims of the caller's token; `nil` for an API key.
    package let claims: TokenClaims?

    /// A caller with the API key.
    package static let apiKey = Caller(provider: .apiKey, claims: nil)

    /// A caller with a verified token of a user pool or of another issuer (`oidc`).
    package static func token(_ claims: TokenClaims, of provider: AccessRule.Provider) -> Caller {
        precondition(provider == .userPools || provider == .oidc, "tokens are of a user pool or of another issuer")
        return Caller(provider: provider, claims: claims)
    }

    private init(provider: AccessRule.Provider, claims: TokenClaims?) {
        (self.provider, self.claims) = (provider, claims)
    }

    /// A name that no other caller has. Requests with the same identity come from the same person, or from any caller with the
    /// API key.
    package var identity: String {
        guard let claims else { return provider.rawValue }
        // The length is part of the name so that two different pairs of issuer and subject never make the same name.
        let subject = "\(claims.subject.utf8.count) \(claims.subject) \(claims.username ?? "")"
        return "\(provider.rawValue) \(claims.issuer.utf8.count) \(claims.issuer) \(subject)"
    }

    /// The time when the credentials expire, in seconds since 1970; `nil` if they do not expire.
    package var expiresAt: Int64? { claims?.expiresAt }
}
