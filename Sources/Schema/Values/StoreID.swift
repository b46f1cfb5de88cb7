/// The id of a store: 128 random bits. A store keeps its id from its creation on, and all of its copies have the same id.
public struct StoreID: Sendable, Hashable, CustomStringConvertible {
    /// The upper 64 bits.
    public let high: UInt64
    /// The lower 64 bits.
    public let low: UInt64

    /// The id with these bits.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// A new random id.
    public static func random() -> StoreID {
        StoreID(high: .random(in: .min ... .max), low: .random(in: .min ... .max))
    }

    /// The id as 32 hexadecimal digits.
    public var description: String { high.hexadecimal + low.hexadecimal }
}

extension UInt64 {
    /// The number as 16 hexadecimal digits.
    package var hexadecimal: String {
        let digits = String(self, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
