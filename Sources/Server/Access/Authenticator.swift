/// Recognises callers by the credentials that they send: the API key, or a token.
package struct Authenticator: Sendable {
    private let apiKey: [UInt8]?
    private let verifiers: [(provider: AccessRule.Provider, verifier: TokenVerifier)]

    /// Recognises whom these say.
    ///
    /// - Parameters:
    ///   - apiKey: The key that callers may send; `nil` if none counts.
    ///   - userPools: The tokens that count as a user pool's.
    ///   - oidc: The tokens that count as another issuer's.
    package init(apiKey: String?, userPools: [TokenVerifier] = [], oidc: [TokenVerifier] = []) {
        // What is compared has always the same length, so that the time it takes does not tell the key's.
        self.apiKey = apiKey.map { Secrets.digest(Array($0.utf8)) }
        verifiers = userPools.map { (.userPools, $0) } + oidc.map { (.oidc, $0) }
    }

    /// How callers are recognised for whom a model without rules is open: by the key if there is one, else by tokens.
    package var defaultProvider: AccessRule.Provider {
        apiKey != nil ? .apiKey : verifiers.first?.provider ?? .apiKey
    }

    /// The caller who sent these credentials, at `now` in seconds since 1970.
    ///
    /// - Parameters:
    ///   - key: What stands in `x-api-key`.
    ///   - authorization: What stands in `Authorization`: a token, also behind the word `Bearer`.
    /// - Throws: ``CredentialError``, which no client is told.
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
                // Tokens of one issuer's keys are not those of another; what else is wrong with one counts first.
                if failure == .wrongIssuer { failure = error }
            }
        }
        throw failure
    }

    /// The token without the word `Bearer` before it.
    private static func token(in text: String) -> String {
        let words = text.split(separator: " ", omittingEmptySubsequences: true)
        guard words.count == 2, words[0].lowercased() == "bearer" else { return text }
        return String(words[1])
    }
}
