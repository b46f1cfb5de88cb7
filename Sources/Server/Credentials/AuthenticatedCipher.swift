internal import CCrypto

/// Encrypts and authenticates bytes with a key that is used only once: AES-256-GCM, NIST SP 800-38D.
enum AuthenticatedCipher {
    /// The size of a key in bytes.
    static let keyBytes = 32
    /// The size in bytes of the tag that follows the encrypted bytes.
    static let tagBytes = 16
    /// The size of the longest message in bytes.
    static let maximumBytes = 1 << 24

    /// Encrypts bytes and returns them with their tag.
    ///
    /// - Parameters:
    ///   - bytes: The message, at most ``maximumBytes``.
    ///   - context: Further bytes that the tag authenticates, at most ``maximumBytes``. They are not part of the result.
    ///   - key: A key that encrypts nothing else. The key must be unique because the nonce is always the same.
    static func encrypt(_ bytes: [UInt8], in context: [UInt8], key: [UInt8]) throws(CredentialError) -> [UInt8] {
        let cipher = try begin(context, key, encrypts: 1)
        defer { EVP_CIPHER_CTX_free(cipher) }
        guard bytes.count <= maximumBytes else { throw .system }
        var output = [UInt8](repeating: 0, count: bytes.count)
        var tag = [UInt8](repeating: 0, count: tagBytes)
        var length: Int32 = 0
        var none: [UInt8] = [0]
        guard EVP_CipherUpdate(cipher, &output, &length, bytes, Int32(bytes.count)) == 1, length == bytes.count,
            EVP_CipherFinal_ex(cipher, &none, &length) == 1,
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_GET_TAG, Int32(tagBytes), &tag) == 1
        else { throw .system }
        return output + tag
    }

    /// Decrypts bytes. Returns `nil` if the bytes were encrypted in another context or with another key, or were changed later.
    static func decrypt(_ sealed: [UInt8], in context: [UInt8], key: [UInt8]) -> [UInt8]? {
        guard sealed.count >= tagBytes, sealed.count <= maximumBytes,
            let cipher = try? begin(context, key, encrypts: 0)
        else { return nil }
        defer {
            EVP_CIPHER_CTX_free(cipher)
            ERR_clear_error()
        }
        let bytes = Array(sealed.dropLast(tagBytes))
        var tag = Array(sealed.suffix(tagBytes))
        var output = [UInt8](repeating: 0, count: bytes.count)
        var length: Int32 = 0
        var none: [UInt8] = [0]
        guard EVP_CipherUpdate(cipher, &output, &length, bytes, Int32(bytes.count)) == 1, length == bytes.count,
            EVP_CIPHER_CTX_ctrl(cipher, EVP_CTRL_AEAD_SET_TAG, Int32(tagBytes), &tag) == 1,
            EVP_CipherFinal_ex(cipher, &none, &length) == 1
        else { return nil }
        return output
    }

    private static func begin(
        _ context: [UInt8], _ key: [UInt8], encrypts: Int32
    ) throws(CredentialError) -> OpaquePointer {
        precondition(key.count == keyBytes, "a key has 32 bytes")
        guard context.count <= maximumBytes, let cipher = EVP_CIPHER_CTX_new() else { throw .system }
        let nonce = [UInt8](repeating: 0, count: 12)
        var length: Int32 = 0
        guard EVP_CipherInit_ex(cipher, EVP_aes_256_gcm(), nil, key, nonce, encrypts) == 1,
            EVP_CipherUpdate(cipher, nil, &length, context, Int32(context.count)) == 1
        else {
            EVP_CIPHER_CTX_free(cipher)
            throw .system
        }
        return cipher
    }
}
