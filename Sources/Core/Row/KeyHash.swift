/// Hashes the keys of records for tables in memory, with numbers that each table draws at random.
///
/// Ids come from outside: from apps, and later from servers. With a hash that everybody can compute, somebody could choose
/// ids that all meet in one place of a table, so that each look-up walks through all of them. A checksum does not serve, not
/// even one that begins with a secret: it is linear, so that keys which meet once meet always. Here the key's words are
/// mixed by multiplications with secret numbers.
struct KeyHash: Sendable {
    private let first: UInt64
    private let second: UInt64

    /// A hash of its own.
    init() {
        var random = SystemRandomNumberGenerator()
        (first, second) = (random.next() | 1, random.next() | 1)
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
            // The last eight bytes overlap the first eight, unless there are sixteen.
            return Self.mix(word(place) ^ first ^ hash, word(place + rest - 8) ^ second)
        }
        var last: UInt64 = 0
        for offset in 0..<rest { last = last << 8 | UInt64(place.load(fromByteOffset: offset, as: UInt8.self)) }
        return Self.mix(last ^ first ^ hash, second ^ hash)
    }

    @inline(__always)
    private func word(_ place: UnsafeRawPointer) -> UInt64 { place.loadUnaligned(as: UInt64.self) }

    /// Both halves of the product, folded: every bit of the result depends on all bits of both numbers.
    @inline(__always)
    private static func mix(_ left: UInt64, _ right: UInt64) -> UInt64 {
        let product = left.multipliedFullWidth(by: right)
        return product.high ^ product.low
    }
}
