import Foundation
import Testing
import TidelogAgreement
import TidelogJSON

@testable import TidelogServer

@Suite("Tokens", .timeLimit(.minutes(5)), .enabled(if: CommandLineTools.hasOpenSSL, "openssl is missing"))
struct TokenTests {
    private static let now: Int64 = 1_700_000_000

    /// Claims that are valid except for `changes`. An empty text in `changes` leaves the claim out.
    private static func claims(_ changes: [String: String] = [:]) -> String {
        var members: [String: String] = [
            "iss": #""https://issuer""#, "aud": #""app""#, "sub": #""s-1""#, "exp": "\(now + 600)", "iat": "\(now)",
            "cognito:username": #""nadia""#, "cognito:groups": #"["Admin","Ops"]"#,
        ]
        for (name, value) in changes { members[name] = value.isEmpty ? nil : value }
        return "{" + members.sorted { $0.key < $1.key }.map { #""\#($0.key)":\#($0.value)"# }.joined(separator: ",")
            + "}"
    }

    private static func verifier(_ keys: [String]) throws -> TokenVerifier {
        let set = try JSONWebKeySet(parsing: Array(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8))
        return TokenVerifier(keys: set, issuer: "https://issuer", audiences: ["other", "app"])
    }

    private static func refusal(_ verifier: TokenVerifier, _ token: String, at time: Int64 = now) -> CredentialError? {
        do {
            _ = try verifier.verify(token, at: time)
            return nil
        } catch {
            return error
        }
    }

    @Test("tokens of both algorithms are verified with the key that they name, and give the bearer's claims")
    func accepted() async throws {
        try await onThread {
            let signers = try [TokenSigner(.rsa, id: "a"), TokenSigner(.ec, id: "b"), TokenSigner(.ec, id: "c")]
            let verifier = try Self.verifier(signers.map { try $0.jsonWebKey() })
            for signer in signers {
                // The test makes several signatures, because the numbers in an ECDSA signature vary in length.
                for _ in 0..<8 {
                    let claims = try verifier.verify(signer.token(Self.claims()), at: Self.now)
                    #expect(claims.subject == "s-1")
                    #expect(claims.issuer == "https://issuer")
                    #expect(claims.username == "nadia")
                    #expect(claims.groups == ["Admin", "Ops"])
                    #expect(claims.expiresAt == Self.now + 600)
                    #expect(claims.text("sub") == "s-1")
                    #expect(claims.list("sub") == ["s-1"])
                    #expect(claims.text("exp") == nil)
                    #expect(claims.list("none") == nil)
                }
            }
            let access = try signers[0].token(Self.claims(["aud": "", "client_id": #""app""#]))
            #expect(Self.refusal(verifier, access) == nil)
            let several = try signers[0].token(Self.claims(["aud": #"["x","app"]"#]))
            #expect(Self.refusal(verifier, several) == nil)
        }
    }

    @Test(
        "a claim that is a list in JSON counts as its list, and every other text as a list of one",
        arguments: [
            (#"["red"]"#, ["red"]), (#" ["red","blue"] "#, ["red", "blue"]), ("[]", []), (#"["a\"b"]"#, ["a\"b"]),
            ("red", ["red"]), ("[red]", ["[red]"]), (#"{"red":1}"#, [#"{"red":1}"#]), (#""red""#, [#""red""#]),
            (#"["red"]x"#, [#"["red"]x"#]), ("", [""]), ("[1]", nil), (#"["red",null]"#, nil),
        ] as [(String, [String]?)])
    func listsAsTexts(text: String, list: [String]?) {
        let claims = TokenClaims([JSONValue.Member("groups", .string(text))], subject: "", issuer: "", expiresAt: 0)
        #expect(claims.list("groups") == list && claims.text("groups") == text)
    }

    @Test("the times, issuer and audience of a token are checked, with 30 seconds of leeway for clocks")
    func claims() async throws {
        try await onThread {
            let signer = try TokenSigner(.ec, id: "a")
            let verifier = try Self.verifier([try signer.jsonWebKey()])
            let cases: [(CredentialError?, [String: String])] = [
                (nil, ["exp": "\(Self.now - 29)"]), (.expired, ["exp": "\(Self.now - 30)"]),
                (.expired, ["exp": ""]),
                (.invalidClaim("exp"), ["exp": #""1800000000""#]), (.invalidClaim("exp"), ["exp": "-1"]),
                (.invalidClaim("exp"), ["exp": "1e300"]), (nil, ["exp": "1800000000.5"]),
                (nil, ["nbf": "\(Self.now + 30)"]), (.notYetValid, ["nbf": "\(Self.now + 31)"]),
                (.notYetValid, ["iat": "\(Self.now + 31)"]), (nil, ["iat": ""]),
                (.wrongIssuer, ["iss": #""https://issuer/""#]), (.wrongIssuer, ["iss": ""]),
                (.wrongIssuer, ["iss": #"["https://issuer"]"#]),
                (.wrongAudience, ["aud": #""App""#]), (.wrongAudience, ["aud": ""]),
                (.wrongAudience, ["aud": "[]"]),
                (.wrongAudience, ["aud": #""x""#, "client_id": #""app""#]), (.invalidClaim("sub"), ["sub": "7"]),
            ]
            for (expected, changes) in cases {
                let token = try signer.token(Self.claims(changes))
                #expect(Self.refusal(verifier, token) == expected, "\(changes)")
            }
        }
    }

    @Test("only the key's own algorithm is accepted, for any header")
    func confusion() async throws {
        try await onThread {
            let (rsa, ec) = (try TokenSigner(.rsa, id: "r"), try TokenSigner(.ec, id: "e"))
            let verifier = try Self.verifier([try rsa.jsonWebKey(), try ec.jsonWebKey()])
            let cases: [(CredentialError, String)] = [
                (.unacceptableAlgorithm, #"{"alg":"none","kid":"r"}"#),
                (.unacceptableAlgorithm, #"{"alg":"HS256","kid":"r"}"#),
                (.unacceptableAlgorithm, #"{"alg":"RS512","kid":"r"}"#), (.unacceptableAlgorithm, #"{"kid":"r"}"#),
                (.unacceptableAlgorithm, #"{"alg":"rs256","kid":"r"}"#),
                (.unacceptableAlgorithm, #"{"alg":"ES256","kid":"r"}"#),
                (.unacceptableAlgorithm, #"{"alg":"RS256","kid":"e"}"#),
                (.unknownKey, #"{"alg":"RS256","kid":"x"}"#), (.unknownKey, #"{"alg":"RS256"}"#),
                (.unacceptableHeader, #"{"alg":"RS256","kid":7}"#),
                (.unacceptableHeader, #"{"alg":"RS256","kid":"r","typ":"JWE"}"#),
                (.unacceptableHeader, #"{"alg":"RS256","kid":"r","crit":["b64"],"b64":false}"#),
                (.malformedToken, #"{"alg":"RS256","kid":"r","kid":"r"}"#), (.malformedToken, "[]"),
                (.invalidSignature, #"{"alg":"ES256","kid":"e"}"#),
            ]
            for (expected, header) in cases {
                #expect(Self.refusal(verifier, try rsa.token(Self.claims(), header: header)) == expected, "\(header)")
            }
            // This token has an HMAC in place of a signature, and its secret is the public key.
            let header = Base64URL.encode(Array(#"{"alg":"HS256","kid":"r","typ":"JWT"}"#.utf8))
            let signed = header + "." + Base64URL.encode(Array(Self.claims().utf8))
            let code = Secrets.MessageSeal.code(Array(signed.utf8), key: Array(try rsa.jsonWebKey().utf8))
            #expect(Self.refusal(verifier, signed + "." + Base64URL.encode(code)) == .unacceptableAlgorithm)
            // A key of another issuer has the same id.
            let impostor = try TokenSigner(.rsa, id: "r")
            #expect(Self.refusal(verifier, try impostor.token(Self.claims())) == .invalidSignature)
        }
    }

    @Test("a token that was changed anywhere is refused")
    func tampering() async throws {
        try await onThread {
            for kind in [TokenSigner.Kind.rsa, .ec] {
                let signer = try TokenSigner(kind, id: "a")
                let verifier = try Self.verifier([try signer.jsonWebKey()])
                let token = try signer.token(Self.claims())
                #expect(Self.refusal(verifier, token) == nil)
                for index in token.utf8.indices.enumerated().filter({ $0.offset % 7 == 0 }).map(\.element) {
                    var bytes = Array(token.utf8)
                    let place = token.utf8.distance(from: token.utf8.startIndex, to: index)
                    bytes[place] = bytes[place] == 65 ? 66 : 65
                    #expect(Self.refusal(verifier, String(decoding: bytes, as: UTF8.self)) != nil)
                    #expect(Self.refusal(verifier, String(token.utf8.prefix(place)) ?? "") != nil)
                }
                let parts = token.split(separator: ".").map(String.init)
                let malformed = [
                    "", ".", "..", "...", token + ".", token + "=", " " + token, parts[0] + "." + parts[1],
                    parts[0] + "." + parts[1] + ".", token + "\n", token.replacing(".", with: "+."),
                    String(repeating: "a", count: 16 << 10) + token,
                ]
                for text in malformed { #expect(Self.refusal(verifier, text) != nil, "\(text.prefix(40))") }
            }
            let signer = try TokenSigner(.ec, id: "a")
            let long = try signer.token(Self.claims(["x": "\"\(String(repeating: "x", count: 16 << 10))\""]))
            #expect(Self.refusal(try Self.verifier([try signer.jsonWebKey()]), long) == .tokenTooLong)
        }
    }

    @Test("keys that are too small, broken, or for something else are not used")
    func keySets() async throws {
        try await onThread {
            let small = try TokenSigner(.rsa, id: "s", bits: 1_024).jsonWebKey()
            let signer = try TokenSigner(.ec, id: "a")
            let key = try signer.jsonWebKey()
            let zero = String(repeating: "A", count: 43)
            for keys in [
                [small], [key, key], [key.replacing("\"x\":\"", with: "\"x\":\"A")],
                [key.replacing(#""crv""#, with: #""x":"A","crv""#)],
                [#"{"kty":"EC","crv":"P-256","x":"\#(zero)","y":"\#(zero)"}"#],
                [#"{"kty":"oct","k":"AAAA"}"#], [try signer.jsonWebKey(extra: #","use":"enc""#)],
                [try signer.jsonWebKey(extra: #","alg":"ES384""#)], [], ["7"],
                [#"{"kty":"RSA","n":"\#(String(repeating: "_", count: 342))","e":"AQ"}"#],
            ] {
                #expect(throws: CredentialError.self, "\(keys)") { _ = try Self.verifier(keys) }
            }
            #expect(throws: CredentialError.self) { _ = try JSONWebKeySet(parsing: Array("{".utf8)) }
            #expect(throws: CredentialError.self) { _ = try JSONWebKeySet(parsing: Array("{}".utf8)) }
            // The set ignores keys that cannot sign tokens. A token without a key id is verified with the only key that is
            // left.
            let mixed = try Self.verifier([#"{"kty":"oct","k":"AAAA"}"#, key])
            let token = try signer.token(Self.claims(), header: #"{"alg":"ES256"}"#)
            #expect(Self.refusal(mixed, token) == nil)
        }
    }
}
