import Testing
import TidelogAgreement

@testable import TidelogServer

@Suite("Cryptography")
struct CryptographyTests {
    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    @Test("HMAC-SHA-256 agrees with RFC 4231")
    func codes() {
        let first = Secrets.MessageSeal.code(Array("Hi There".utf8), key: [UInt8](repeating: 0x0B, count: 20))
        #expect(
            Self.hexadecimal(first) == "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7")
        let second = Secrets.MessageSeal.code(Array("what do ya want for nothing?".utf8), key: Array("Jefe".utf8))
        #expect(
            Self.hexadecimal(second) == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(
            Self.hexadecimal(Secrets.digest(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    }

    @Test("a seal is valid for its message and its key alone")
    func seals() throws {
        let (seal, other) = (try Secrets.MessageSeal(), try Secrets.MessageSeal())
        let message = Array("place 7".utf8)
        let code = seal.seal(message)
        #expect(code.count == Secrets.MessageSeal.byteCount)
        #expect(seal.isValid(code, of: message))
        #expect(!seal.isValid(code, of: Array("place 8".utf8)))
        #expect(!other.isValid(code, of: message))
        #expect(!seal.isValid(Array(code.dropLast()), of: message))
        #expect(!seal.isValid([], of: message))
    }

    @Test("secrets are equal only if all their bytes are, and random bytes differ each time")
    func secrets() throws {
        #expect(Secrets.areEqual("da2-key", "da2-key"))
        #expect(!Secrets.areEqual("da2-key", "da2-kez"))
        #expect(!Secrets.areEqual("da2-key", "da2-ke"))
        #expect(Secrets.areEqual("", ""))
        #expect(try Secrets.randomBytes(32) != Secrets.randomBytes(32))
        #expect(try Secrets.randomBytes(0).isEmpty)
    }

    private static let claims =
        "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ"

    @Test("the keys of RFC 7515, appendix A, verify the RFC's signatures, but no changed message or signature")
    func signatures() throws {
        let rsa = try JSONWebKeySet(
            parsing: Array(
                (#"{"keys":[{"kty":"RSA","n":""#
                    + "ofgWCuLjybRlzo0tZWJjNiuSfb4p4fAkd_wWJcyQoTbji9k0l8W26mPddxHmfHQp-Vaw-4qPCJrcS2mJPMEz"
                    + "P1Pt0Bm4d4QlL-yRT-SFd2lZS-pCgNMsD1W_YpRPEwOWvG6b32690r2jZ47soMZo9wGzjb_7OMg0LOL-bSf63kpaSHSXndS5z5rexMdb"
                    + "BYUsLA9e-KXBdQOS-UTo7WTBEMa2R2CapHg665xsmtdVMTBQY4uDZlxvb3qCo5ZwKh9kG4LT6_I5IhlJH7aGhyxXFvUK-DWNmoudF8NA"
                    + #"co9_h9iaGNj8q2ethFkMLs91kzk2PAcDTW9gb54h4FRWyuXpoQ","e":"AQAB"}]}"#).utf8))
        let rsaSignature =
            "cC4hiUPoj9Eetdgtv3hF80EGrhuB__dzERat0XF9g2VtQgr9PJbu3XOiZj5RZmh7AAuHIm4Bh-0Qc_lF5YKt_O8W2Fp5jujGbds9uJdbF9CU"
            + "Ar7t1dnZcAcQjbKBYNX4BAynRFdiuB--f_nZLgrnbyTyWzO75vRK5h6xBArLIARNPvkSjtQBMHlb1L07Qe7K0GarZRmB_eSN9383LcOLn6_d"
            + "O--xi12jzDwusC-eOkHWEsqtFZESc6BfI7noOPqvhJ1phCnvWh6IeYI2w9QOYEUipUTI8np6LbgGY9Fs98rqVt5AXLIhWkWywlVmtVrBp0ig"
            + "cN_IoypGlUPQGe77Rw"
        let ec = try JSONWebKeySet(
            parsing: Array(
                (#"{"keys":[{"kty":"EC","crv":"P-256","x":"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU","#
                    + #""y":"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0"}]}"#).utf8))
        let ecSignature =
            "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
        for (keys, header, text) in [
            (rsa, "eyJhbGciOiJSUzI1NiJ9", rsaSignature), (ec, "eyJhbGciOiJFUzI1NiJ9", ecSignature),
        ] {
            let key = try #require(keys.key(nil))
            let signature = try #require(Base64URL.decode(text.utf8))
            let message = Array((header + "." + Self.claims).utf8)
            #expect(key.verifies(signature, of: message))
            #expect(!key.verifies(signature, of: message + [65]))
            #expect(!key.verifies(Array(signature.dropLast()), of: message))
            let verifier = TokenVerifier(keys: keys, issuer: "joe", audiences: ["app"])
            let token = header + "." + Self.claims + "." + text
            // The signature is valid. The token is refused because it has no audience.
            #expect(throws: CredentialError.wrongAudience) { _ = try verifier.verify(token, at: 1_300_000_000) }
        }
    }
}
