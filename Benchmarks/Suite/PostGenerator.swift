/// Makes posts from their numbers. Every run gets the same posts.
struct PostGenerator: Sendable {
    /// Whether ids ascend in key order, as UUIDs of version 7 do.
    let isOrdered: Bool

    /// The ratings are in the range 0 ..< `ratingCount`.
    static let ratingCount = 1_000_000
    /// The bound of the scan: 15 % of the ratings are below it.
    static let scanBound = ratingCount * 15 / 100

    private static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The 16 bytes of the id of the post `number`.
    func key(_ number: Int) -> (UInt64, UInt64) {
        let low = Self.mix(UInt64(number) &* 2 &+ 1)
        // The upper bits of a UUID of version 7 are its time.
        return isOrdered ? (0x0190_0000_0000_0000 &+ UInt64(number) << 12, low) : (Self.mix(UInt64(number)), low)
    }

    func identifier(_ number: Int) -> String {
        let (high, low) = key(number)
        var text = [UInt8]()
        text.reserveCapacity(36)
        for index in 0..<16 {
            if index == 4 || index == 6 || index == 8 || index == 10 { text.append(45) }
            let word = index < 8 ? high : low
            let byte = UInt8(truncatingIfNeeded: word >> UInt64(56 - index % 8 * 8))
            for nibble in [byte >> 4, byte & 15] { text.append(nibble < 10 ? 48 + nibble : 87 + nibble) }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// The post `number`. Each `revision` has its own rating and its own time of change.
    func post(_ number: Int, revision: Int = 0) -> Post {
        let seed = Self.mix(UInt64(number) &+ UInt64(revision) << 40)
        let digits = String(1_000_000_000 + number)
        return Post(
            id: identifier(number), title: "Post number \(digits)..",
            content: String(repeating: "Lorem ipsum dolor sit amet ", count: 3) + "\(digits) and more",
            rating: Int(seed % UInt64(Self.ratingCount)), status: ["draft", "active", "archived"][Int(seed >> 40) % 3],
            createdAt: "2026-11-21T10:30:00.\(100 + number % 900)Z",
            updatedAt: "2026-11-21T11:30:00.\(100 + revision % 900)Z")
    }
}
