import Testing
import TidelogAgreement

@testable import TidelogServer

@Suite("Callers and their credentials", .timeLimit(.minutes(5)))
struct AuthenticatorTests {
    private static let now: Int64 = 1_700_000_000

    private static func failure(
        _ authenticator: Authenticator, key: String? = nil, _ authorization: String? = nil, at time: Int64 = now
    ) -> CredentialError? {
        do {
            _ = try authenticator.caller(key: key, authorization: authorization, at: time)
            return nil
        } catch {
            return error
        }
    }

    @Test("the API key must match byte for byte, and is used instead of a token")
    func keys() throws {
        let authenticator = Authenticator(apiKey: "k-é")
        let caller = try authenticator.caller(key: "k-é", authorization: "nonsense", at: Self.now)
        #expect(caller.provider == .apiKey)
        #expect(caller.claims == nil && caller.expiresAt == nil)
        #expect(caller.identity == "apiKey")
        for key in ["", "k", "k-é ", "K-É", "k-e\u{301}"] {
            #expect(Self.failure(authenticator, key: key) == .wrongKey)
        }
        #expect(Self.failure(authenticator) == .missing)
        #expect(Self.failure(authenticator, "k-é") == .wrongIssuer)
        #expect(Self.failure(Authenticator(apiKey: nil), key: "") == .wrongKey)
    }

    @Test("the default provider is the API key, also if no credentials are configured")
    func defaults() {
        #expect(Authenticator(apiKey: "k").defaultProvider == .apiKey)
        #expect(Authenticator(apiKey: nil).defaultProvider == .apiKey)
    }

    @Test(
        "the issuer of a token decides its provider, the word Bearer may precede it, and its claims name the caller",
        .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
    func tokens() async throws {
        try await onThread {
            let signer = try TokenSigner(.ec, id: "a")
            let verifier = { (issuer: String) in
                let keys = try JSONWebKeySet(parsing: Array(#"{"keys":[\#(signer.jsonWebKey())]}"#.utf8))
                return TokenVerifier(keys: keys, issuer: issuer, audiences: ["app"])
            }
            let token = { (issuer: String, sub: String) in
                try signer.token(
                    #"{"iss":"\#(issuer)","aud":"app","sub":"\#(sub)","exp":\#(Self.now + 60),"username":"n"}"#)
            }
            let authenticator = Authenticator(
                apiKey: nil, userPools: [try verifier("pool")], oidc: [try verifier("other")])
            #expect(authenticator.defaultProvider == .userPools)
            let pool = try token("pool", "s")
            for text in [pool, "Bearer \(pool)", "bearer   \(pool)", "BEARER \(pool)"] {
                let caller = try authenticator.caller(key: nil, authorization: text, at: Self.now)
                #expect(caller.provider == .userPools)
                #expect(caller.claims?.subject == "s")
                #expect(caller.expiresAt == Self.now + 60)
            }
            let other = try authenticator.caller(key: nil, authorization: token("other", "s"), at: Self.now)
            #expect(other.provider == .oidc)
            let same = try authenticator.caller(key: nil, authorization: pool, at: Self.now)
            #expect(same.identity != other.identity)
            #expect(same.identity == "userPools 4 pool 1 s n")
            for (text, error) in [
                (try token("third", "s"), CredentialError.wrongIssuer), ("Bearer", .malformedToken),
                ("Basic \(pool)", .malformedToken), ("", .malformedToken), (pool + "xx", .invalidSignature),
            ] {
                #expect(Self.failure(authenticator, text) == error, "\(text)")
            }
            #expect(Self.failure(authenticator, pool, at: Self.now + 90) == .expired)
            // A token of an accepted issuer fails because it has expired, and not because the other verifiers expect another
            // issuer.
            #expect(Self.failure(authenticator, try token("other", "s"), at: Self.now + 90) == .expired)
            // A valid token does not make up for a wrong key.
            #expect(Self.failure(authenticator, key: "x", pool) == .wrongKey)
        }
    }
}
