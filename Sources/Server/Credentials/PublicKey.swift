internal import CCrypto

/// A public key that verifies signatures.
///
/// Sound as `@unchecked Sendable` because the key never changes, and libcrypto allows several threads to read it.
final class PublicKey: @unchecked Sendable {
    /// The algorithm of a key. A key is used with one algorithm only.
    enum Algorithm: String, Sendable {
        /// RSA with PKCS #1 v1.5 and SHA-256: RFC 7518, section 3.3.
        case rs256 = "RS256"
        /// ECDSA with P-256 and SHA-256: RFC 7518, section 3.4.
        case es256 = "ES256"
    }

    let algorithm: Algorithm
    private let key: OpaquePointer

    private init(_ algorithm: Algorithm, subjectPublicKeyInfo: [UInt8]) throws(CredentialError) {
        self.algorithm = algorithm
        let key = subjectPublicKeyInfo.withUnsafeBufferPointer { buffer in
            var position = buffer.baseAddress
            return d2i_PUBKEY(nil, &position, buffer.count)
        }
        ERR_clear_error()
        guard let key else { throw .invalidKeySet("a key is none that libcrypto knows") }
        self.key = key
    }

    deinit { EVP_PKEY_free(key) }

    /// Makes an RSA key from a modulus and an exponent, both with the most significant byte first.
    static func rsa(modulus: [UInt8], exponent: [UInt8]) throws(CredentialError) -> PublicKey {
        let modulus = Array(modulus.drop { $0 == 0 }), exponent = Array(exponent.drop { $0 == 0 })
        let bitCount = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
        guard bitCount >= 2_048 else { throw .invalidKeySet("an RSA key has at least 2,048 bits") }
        // The time to verify a signature grows with the sizes of modulus and exponent.
        guard bitCount <= 8_192 else { throw .invalidKeySet("an RSA key has at most 8,192 bits") }
        guard exponent.count <= 4, let last = exponent.last, last & 1 == 1, exponent != [1] else {
            throw .invalidKeySet("the exponent of an RSA key is odd, more than 1, and has at most 32 bits")
        }
        guard modulus.last.map({ $0 & 1 == 1 }) ?? false else {
            throw .invalidKeySet("the modulus of an RSA key is odd")
        }
        let numbers = DER.sequence(DER.integer(modulus) + DER.integer(exponent))
        let kind = DER.sequence(DER.rsaEncryption + DER.null)
        return try PublicKey(.rs256, subjectPublicKeyInfo: DER.sequence(kind + DER.bitString(numbers)))
    }

    /// Makes a key on the curve P-256 from the two coordinates of a point.
    static func p256(x: [UInt8], y: [UInt8]) throws(CredentialError) -> PublicKey {
        guard x.count == 32, y.count == 32 else { throw .invalidKeySet("a coordinate on P-256 has 32 bytes") }
        let kind = DER.sequence(DER.ecPublicKey + DER.p256)
        let key = try PublicKey(.es256, subjectPublicKeyInfo: DER.sequence(kind + DER.bitString([4] + x + y)))
        guard let context = EVP_PKEY_CTX_new(key.key, nil) else { throw .system }
        defer {
            EVP_PKEY_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_PKEY_public_check(context) == 1 else { throw .invalidKeySet("a point is not on its curve") }
        return key
    }

    /// Whether `signature`, in the format of RFC 7515, was made for `message` with the private key of this public key.
    func verifies(_ signature: [UInt8], of message: [UInt8]) -> Bool {
        let encoded: [UInt8]
        switch algorithm {
        case .rs256:
            guard signature.count == Int(EVP_PKEY_get_size(key)) else { return false }
            encoded = signature
        case .es256:
            guard signature.count == 64 else { return false }
            encoded = DER.sequence(
                DER.integer(Array(signature[..<32])) + DER.integer(Array(signature[32...])))
        }
        guard let context = EVP_MD_CTX_new() else { return false }
        defer {
            EVP_MD_CTX_free(context)
            ERR_clear_error()
        }
        guard EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1 else { return false }
        return EVP_DigestVerify(context, encoded, encoded.count, message, message.count) == 1
    }
}

/// The part of DER (ITU-T X.690) that is needed to pass keys and signatures to libcrypto.
private enum DER {
    static let null: [UInt8] = [0x05, 0x00]
    static let rsaEncryption: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x01, 0x01]
    static let ecPublicKey: [UInt8] = [0x06, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01]
    static let p256: [UInt8] = [0x06, 8, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07]

    static func sequence(_ content: [UInt8]) -> [UInt8] { [0x30] + length(content.count) + content }

    static func bitString(_ content: [UInt8]) -> [UInt8] { [0x03] + length(content.count + 1) + [0] + content }

    /// A number that is not negative, given with its most significant byte first.
    static func integer(_ magnitude: [UInt8]) -> [UInt8] {
        var content = Array(magnitude.drop { $0 == 0 })
        if content.isEmpty || content[0] & 0x80 != 0 { content.insert(0, at: 0) }
        return [0x02] + length(content.count) + content
    }

    private static func length(_ count: Int) -> [UInt8] {
        switch count {
        case ..<0x80: [UInt8(count)]
        case ..<0x100: [0x81, UInt8(count)]
        default: [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        }
    }
}
