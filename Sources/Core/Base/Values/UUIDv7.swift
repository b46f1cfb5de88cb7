internal import TidelogSynchronization

/// Ids that rise with time: UUIDs of version 7 (RFC 9562, section 5.7). Records with such ids are next to each other in
/// key order.
public enum UUIDv7 {
    private static let generator = Mutex(Generator())

    /// A new id as lower-case text. Each id is greater than the one before it in this process, even if the clock stops
    /// or is set back.
    public static func next() -> String {
        let milliseconds = UInt64(max(0, WallClock.microsecondsSince1970() / 1_000))
        let (high, low) = generator.withLock { $0.next(milliseconds) }
        return String(uuid: high, low)
    }

    /// Makes the numbers of ids. Within the same millisecond, the 74 random bits increase by a random step (RFC 9562,
    /// section 6.2, method 2).
    struct Generator {
        private var milliseconds: UInt64 = 0
        private var high: UInt64 = 0
        private var low: UInt64 = 0
        private var step: UInt64 = 0

        /// The first 64 bits and the last 64 bits of the next id.
        mutating func next(_ now: UInt64) -> (UInt64, UInt64) {
            if now > milliseconds {
                start(now)
            } else {
                advance()
            }
            return (milliseconds << 16 | 0x7000 | high, 0x8000_0000_0000_0000 | low)
        }

        private mutating func start(_ now: UInt64) {
            milliseconds = now & 0xFFFF_FFFF_FFFF
            var random = SystemRandomNumberGenerator()
            // The highest bit begins as 0, so that the count has room to rise.
            high = random.next() & 0x7FF
            low = random.next() >> 2
            step = random.next() | 1
        }

        private mutating func advance() {
            // The step comes from SplitMix64. Ids within the same millisecond must be distinct, but need not be secret.
            step &+= 0x9E37_79B9_7F4A_7C15
            var mixed = (step ^ step >> 30) &* 0xBF58_476D_1CE4_E5B9
            mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
            low += 1 + mixed >> 32
            guard low >> 62 != 0 else { return }
            low &= 0x3FFF_FFFF_FFFF_FFFF
            high += 1
            if high > 0xFFF { start(milliseconds + 1) }
        }
    }
}
