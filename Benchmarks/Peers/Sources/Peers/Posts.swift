import Tidelog

/// The posts of the benchmark. Every run has the same ones.
enum Posts {
    /// The ratings are in the range 0 ..< `ratingCount`.
    static let ratingCount = 1_000_000
    /// A text that one post in ten contains.
    static let searched = "high tide 7"

    static func post(_ number: Int) -> Post {
        let rating = mixed(UInt64(number)) % UInt64(ratingCount)
        return Post(
            id: identifier(number), title: "Post number \(1_000_000_000 + number)..",
            content:
                "The water comes and goes twice a day, and nobody has to ask it. Post \(number), high tide \(number % 10).",
            rating: Int(rating), status: ["draft", "active", "archived"][number % 3],
            createdAt: "2026-11-21T10:30:00.\(100 + number % 900)Z", updatedAt: "2026-11-21T11:30:00.100Z")
    }

    static func posts(_ numbers: Range<Int>) -> [Post] { numbers.map(post) }

    /// A random UUID that belongs to the number.
    static func identifier(_ number: Int) -> String {
        let digits = [mixed(UInt64(number) &* 2), mixed(UInt64(number) &* 2 &+ 1)]
            .map { word in
                let text = String(word, radix: 16)
                return String(repeating: "0", count: 16 - text.count) + text
            }
            .joined()
        var text = ""
        for (index, digit) in digits.enumerated() {
            if [8, 12, 16, 20].contains(index) { text.append("-") }
            text.append(digit)
        }
        return text
    }

    /// A number whose bits look random (SplitMix64).
    static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value &+ 0x9E37_79B9_7F4A_7C15
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
