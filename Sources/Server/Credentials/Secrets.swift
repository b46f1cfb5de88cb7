internal import CCrypto

/// Functions for secrets: random bytes, comparison and digests.
package enum Secrets {
    /// Random bytes that cannot be predicted.
    package static func randomBytes(_ count: Int) throws(CredentialError) -> [UInt8] {
        precondition(count >= 0 && count <= 1 << 20, "0 to 1,048,576 random bytes")
        var bytes = [UInt8](repeating: 0, count: count)
        guard count == 0 || RAND_bytes(&bytes, Int32(count)) == 1 else { throw .system }
        return bytes
    }

    /// Whether the two arrays are equal. The time of the comparison depends on their lengths only.
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && CRYPTO_memcmp(left, right, left.count) == 0
    }

    /// Whether the two texts have the same UTF-8 bytes. The time of the comparison depends on their lengths only.
    package static func areEqual(_ left: String, _ right: String) -> Bool {
        areEqual(Array(left.utf8), Array(right.utf8))
    }

    /// The SHA-256 of `bytes`.
    package static func digest(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        SHA256(bytes, bytes.count, &digest)
        return digest
    }

    /// Seals messages that go to a client and come back. The client does not have the key: HMAC-SHA-256, RFC 2104.
    package struct MessageSeal: Sendable {
        /// The size of a seal in bytes.
        package static let byteCount = 32

        private let key: [UInt8]

        /// Makes a seal with `key`, which has at least 32 bytes.
        package init(key: [UInt8]) {
            precondition(key.count >= 32, "a key has at least 32 bytes")
            self.key = key
        }

        /// Makes a seal with a random key. The key exists only in this process.
        package init() throws(CredentialError) { self.init(key: try Secrets.randomBytes(32)) }

        /// The seal of `message`.
        package func seal(_ message: [UInt8]) -> [UInt8] { Self.code(message, key: key) }

        /// Whether `seal` is the seal of `message`.
        package func isValid(_ seal: [UInt8], of message: [UInt8]) -> Bool {
            Secrets.areEqual(seal, self.seal(message))
        }

        /// The code of `message`. The key may have any length.
        static func code(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
            var code = [UInt8](repeating: 0, count: byteCount)
            var length = UInt32(byteCount)
            let result = HMAC(EVP_sha256(), key, Int32(key.count), message, message.count, &code, &length)
            precondition(result != nil && length == byteCount, "libcrypto has SHA-256")
            return code
        }
    }
}
