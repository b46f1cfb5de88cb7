/// A name of the schema in Swift source.
struct SwiftName: Hashable {
    /// The name after a dot.
    let plain: String

    /// The name in a declaration, or on its own. Keywords are in back-ticks.
    var quoted: String { SwiftWords.keywords.contains(plain) ? "`\(plain)`" : plain }

    /// The name as an argument label of a call.
    var label: String { ["inout", "let", "var"].contains(plain) ? quoted : plain }

    /// Whether a linter would treat the name as the name of a property or function.
    var isLowerCamelCase: Bool {
        guard let first = plain.utf8.first, !(65...90).contains(first) else { return false }
        return !plain.utf8.dropFirst().contains(UInt8(ascii: "_"))
    }

    /// Makes a Swift name from `name`. Underscores follow the name if it is unusable or in `taken`.
    init(_ name: String, besides taken: Set<String>) {
        var plain = name
        while SwiftWords.unusable.contains(plain) || taken.contains(plain) { plain += "_" }
        self.plain = plain
    }

    /// Gives the members of one type their names. Each name is given once.
    struct Supply {
        private var taken: Set<String>

        init(reserved: Set<String>) { taken = reserved }

        /// The member name for `name`.
        mutating func name(_ name: String) -> SwiftName {
            let swiftName = SwiftName(name, besides: taken)
            taken.insert(swiftName.plain)
            return swiftName
        }
    }
}
