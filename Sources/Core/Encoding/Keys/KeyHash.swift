/// A hash of record keys for tables in memory, with secret random numbers for each table.
///
/// Ids come from apps and from servers. If the hash were predictable, a caller could choose ids that all have the same hash, so
/// that each look-up would have to walk through all of them. A checksum is not sufficient, even if it begins with a secret: a
/// checksum is linear, so two keys that collide with one secret collide with every secret. This hash multiplies the key's words
/// with secret numbers.
struct KeyHash: Sendable {
    private let first: UInt64
    private let second: UInt64

    /// A hash with its own secret numbers.
    init() {
        var random = SystemRandomNumberGenerator()
        first = random.next() | 1
        second = random.next() | 1
    }

    @inline(__always)
    func callAsFunction(_ key: UnsafeRawBufferPointer, _ model: UInt32) -> UInt64 {
        var hash = Self.mix(first ^ UInt64(model), second ^ UInt64(truncatingIfNeeded: key.count))
        guard let base = key.baseAddress else { return hash }
        var rest = key.count
        var place = UnsafeRawPointer(base)
        while rest >= 16 {
            hash = Self.mix(word(place) ^ first ^ hash, word(place + 8) ^ second)
            place += 16
            rest -= 16
        }
        if rest >= 8 {
            // The last 8 bytes overlap the first 8 bytes, unless there are 16.
            return Self.mix(word(place) ^ first ^ hash, word(place + rest - 8) ^ second)
        }
        var last: UInt64 = 0
        for offset in 0..<rest { last = last << 8 | UInt64(place.load(fromByteOffset: offset, as: UInt8.self)) }
        return Self.mix(last ^ first ^ hash, second ^ hash)
    }

    @inline(__always)
    private func word(_ place: UnsafeRawPointer) -> UInt64 { place.loadUnaligned(as: UInt64.self) }

    /// Combines both halves of the product. Every bit of the result depends on all bits of both numbers.
    @inline(__always)
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
