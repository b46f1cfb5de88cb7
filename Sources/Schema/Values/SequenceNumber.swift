/// The sequence number of an event: its place in the log. Numbers begin at 1 and are never used again. The number 0 is
/// the place before the first event.
public struct SequenceNumber: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The number.
    public let value: UInt64

    /// The sequence number `value`.
    @inline(__always)
    public init(_ value: UInt64) { self.value = value }

    /// The place before the first event.
    public static let zero = SequenceNumber(0)

    /// Whether `left` comes before `right`.
    public static func < (left: SequenceNumber, right: SequenceNumber) -> Bool { left.value < right.value }

    /// The number in decimal.
    public var description: String { String(value) }
}

/// The id of a store: 128 random bits. A store keeps its id from its creation on, and all of its copies have the same
/// id.
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
