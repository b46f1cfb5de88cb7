internal import FaultHarness
internal import Foundation
internal import TidelogAgreement

/// Signs tokens with keys made by `openssl`.
package struct TokenSigner {
    package enum Kind: String {
        case rsa = "RS256"
        case ec = "ES256"
    }

    package let kind: Kind
    package let id: String
    private let directory: TemporaryDirectory
    private let keyFile: String

    package init(_ kind: Kind, id: String, bits: Int = 2_048) throws {
        self.kind = kind
        self.id = id
        directory = try TemporaryDirectory()
        keyFile = directory.file("key.pem").path
        let options =
            kind == .rsa
            ? ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:\(bits)"]
            : ["-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256"]
        _ = try CommandLineTools.output("openssl", ["genpkey"] + options + ["-out", keyFile])
    }

    /// The public key in the form of a member of a key set.
    package func jsonWebKey(extra: String = "") throws -> String {
        switch kind {
        case .rsa:
            let text = try CommandLineTools.output("openssl", ["rsa", "-in", keyFile, "-noout", "-modulus"])
            let digits = Array(text.dropFirst("Modulus=".count))
            let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
                UInt8(String(digits[$0...($0 + 1)]), radix: 16)
            }
            return #"{"kty":"RSA","kid":"\#(id)","n":"\#(Base64URL.encode(bytes))","e":"AQAB"\#(extra)}"#
        case .ec:
            let file = directory.file("public.der")
            _ = try CommandLineTools.output(
                "openssl", ["pkey", "-in", keyFile, "-pubout", "-outform", "DER", "-out", file.path])
            let point = try Data(contentsOf: file).suffix(64).map { $0 }
            let (x, y) = (Base64URL.encode(Array(point.prefix(32))), Base64URL.encode(Array(point.suffix(32))))
            return #"{"kty":"EC","crv":"P-256","kid":"\#(id)","x":"\#(x)","y":"\#(y)"\#(extra)}"#
        }
    }

    /// A token with `claims`. Without `header`, it has the usual header.
    package func token(_ claims: String, header: String? = nil) throws -> String {
        let header = header ?? #"{"alg":"\#(kind.rawValue)","kid":"\#(id)","typ":"JWT"}"#
        let signed = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(Array(claims.utf8))
        return signed + "." + Base64URL.encode(try signature(of: signed))
    }

    private func signature(of text: String) throws -> [UInt8] {
        // Several tokens may be signed at the same time, so each uses its own file names.
        let name = UUID().uuidString
        let (input, output) = (directory.file(name), directory.file(name + ".signature"))
        defer { for file in [input, output] { try? FileManager.default.removeItem(at: file) } }
        try Data(text.utf8).write(to: input)
        _ = try CommandLineTools.output(
            "openssl", ["dgst", "-sha256", "-sign", keyFile, "-out", output.path, input.path])
        let bytes = [UInt8](try Data(contentsOf: output))
        guard kind == .ec else { return bytes }
        // The signature is a sequence of two integers. Each may begin with a zero byte or be shorter than 32 bytes.
        let first = Array(bytes[4..<(4 + Int(bytes[3]))])
        let second = Array(bytes[(6 + first.count)...])
        return [first, second].flatMap { number in
            let magnitude = number.drop { $0 == 0 }
            return [UInt8](repeating: 0, count: 32 - magnitude.count) + magnitude
        }
    }
}
