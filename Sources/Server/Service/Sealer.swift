/// Seals what clients are handed and bring back, so that the server knows it again and nobody makes it up.
struct Sealer: Sendable {
    private let seal: MessageSeal

    /// - Parameter key: 32 bytes that nobody else knows.
    init(key: [UInt8]) { seal = MessageSeal(key: key) }

    /// The text that holds `bytes`, good for `context` alone.
    func seal(_ bytes: [UInt8], in context: [UInt8]) -> String {
        Base64URL.encode(seal.seal(Self.message(bytes, context)) + bytes)
    }

    /// The bytes that were sealed in `context`; `nil` if they were not, or if the text was changed.
    func open(_ text: String, in context: [UInt8]) -> [UInt8]? {
        guard let sealed = Base64URL.decode(text.utf8), sealed.count >= MessageSeal.byteCount else { return nil }
        let bytes = Array(sealed.dropFirst(MessageSeal.byteCount))
        let seal = Array(sealed.prefix(MessageSeal.byteCount))
        return self.seal.isValid(seal, of: Self.message(bytes, context)) ? bytes : nil
    }

    private static func message(_ bytes: [UInt8], _ context: [UInt8]) -> [UInt8] {
        // The length in front keeps one from being taken for a part of the other.
        withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { Array($0) } + bytes + context
    }
}
