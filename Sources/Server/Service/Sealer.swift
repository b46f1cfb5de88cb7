internal import TidelogWire

/// Seals what clients are handed and bring back: nobody but the server reads it, and nobody makes it up.
struct Sealer: Sendable {
    /// Random bytes in front, of which each text's own key is made.
    private static let saltBytes = 24
    /// Texts hold a multiple of so many bytes, so that their lengths tell little of what is in them.
    private static let step = 64

    private let secret: MessageSeal
    private let randomBytes: @Sendable (Int) -> [UInt8]

    /// - Parameters:
    ///   - key: 32 bytes that nobody else knows.
    ///   - randomBytes: As many random bytes as asked for.
    init(key: [UInt8], randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
        secret = MessageSeal(key: key)
        self.randomBytes = randomBytes
    }

    /// The text that holds `bytes`, good for `context` alone.
    func seal(_ bytes: [UInt8], in context: [UInt8]) throws(CredentialError) -> String {
        let salt = randomBytes(Self.saltBytes)
        let padding = Self.step - (bytes.count + 1) % Self.step
        // A byte that is not zero ends what was sealed.
        let padded = bytes + [1] + [UInt8](repeating: 0, count: padding)
        return Base64URL.encode(salt + (try AuthenticatedCipher.encrypt(padded, in: context, key: secret.seal(salt))))
    }

    /// The bytes that were sealed in `context`; `nil` if they were not, or if the text was changed.
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
