package import TidelogAgreement

/// Recognises callers by their credentials: the API key, or a token.
package struct Authenticator: Sendable {
    private let apiKey: [UInt8]?
    private let verifiers: [(provider: AccessRule.Provider, verifier: TokenVerifier)]

    /// Makes an authenticator.
    ///
    /// - Parameters:
    ///   - apiKey: The API key that the authenticator accepts; `nil` to accept no key.
    ///   - userPools: The verifiers of tokens that count as tokens of a user pool.
    ///   - oidc: The verifiers of tokens that count as tokens of another issuer.
    package init(apiKey: String?, userPools: [TokenVerifier] = [], oidc: [TokenVerifier] = []) {
        // The authenticator compares digests, which always have the same length. The time of a comparison therefore reveals
        // nothing about the length of the key.
        self.apiKey = apiKey.map { Secrets.digest(Array($0.utf8)) }
        verifiers = userPools.map { (.userPools, $0) } + oidc.map { (.oidc, $0) }
    }

    /// The default provider. Its callers may use models without rules. It is the API key if there is one, or else the first
    /// token provider.
    package var defaultProvider: AccessRule.Provider {
        apiKey != nil ? .apiKey : verifiers.first?.provider ?? .apiKey
    }

    /// Returns the caller with these credentials, at `now` in seconds since 1970.
    ///
    /// - Parameters:
    ///   - key: The value of the header `x-api-key`.
    ///   - authorization: The value of the header `Authorization`: a token, with or without the word `Bearer` before it.
    /// - Throws: ``CredentialError``, whose details no response contains.
    package func caller(key: String?, authorization: String?, at now: Int64) throws(CredentialError) -> Caller {
        if let key {
            guard let apiKey, Secrets.areEqual(apiKey, Secrets.digest(Array(key.utf8))) else { throw .wrongKey }
            return .apiKey
        }
        guard let authorization else { throw .missing }
        let token = Self.token(in: authorization)
        var failure = CredentialError.wrongIssuer
        for (provider, verifier) in verifiers {
            do { return .token(try verifier.verify(token, at: now), of: provider) } catch {
                // `wrongIssuer` only means that the token may belong to another verifier. The first other error is the one to
                // report.
                if failure == .wrongIssuer { failure = error }
            }
        }
        throw failure
    }

    /// The token in the header's value, without the word `Bearer`.
    private static func token(in text: String) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return text }
        return String(words[1])
    }
}
