internal import TidelogAgreement

/// Seals bytes that go to a client and come back. Only this server can read or make sealed texts.
struct Sealer: Sendable {
    /// The number of random bytes at the start of a sealed text. The key of each text is made from them.
    private static let saltBytes = 24
    /// Sealed contents are padded to a multiple of this number of bytes, so that the length of a text reveals little.
    private static let step = 64

    private let secret: Secrets.MessageSeal
    private let randomBytes: @Sendable (Int) -> [UInt8]

    /// - Parameters:
    ///   - key: 32 secret bytes.
    ///   - randomBytes: Returns the given number of random bytes.
    init(key: [UInt8], randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
        secret = Secrets.MessageSeal(key: key)
        self.randomBytes = randomBytes
    }

    /// Seals `bytes` as a text that is only valid in `context`.
    func seal(_ bytes: [UInt8], in context: [UInt8]) throws(CredentialError) -> String {
        let salt = randomBytes(Self.saltBytes)
        let padding = Self.step - (bytes.count + 1) % Self.step
        // The padding begins with a byte that is not zero, so that the end of the contents can be found.
        let padded = bytes + [1] + [UInt8](repeating: 0, count: padding)
        return Base64URL.encode(salt + (try AuthenticatedCipher.encrypt(padded, in: context, key: secret.seal(salt))))
    }

    /// Returns the bytes that were sealed in `context`; `nil` if the text was not sealed in this context or was changed.
    func open(_ text: String, in context: [UInt8]) -> [UInt8]? {
        guard let sealed = Base64URL.decode(text.utf8), sealed.count >= Self.saltBytes else { return nil }
        let salt = Array(sealed.prefix(Self.saltBytes))
        let body = Array(sealed.dropFirst(Self.saltBytes))
        guard let padded = AuthenticatedCipher.decrypt(body, in: context, key: secret.seal(salt)),
            let end = padded.lastIndex(where: { $0 != 0 }), padded[end] == 1
        else { return nil }
        return Array(padded[..<end])
    }
}
