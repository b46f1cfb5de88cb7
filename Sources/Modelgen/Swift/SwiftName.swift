/// A name of the schema as Swift says it.
struct SwiftName: Hashable {
    /// As it stands behind a dot.
    let plain: String

    /// As it stands where it is declared, or alone.
    var quoted: String { SwiftWords.keywords.contains(plain) ? "`\(plain)`" : plain }

    /// As it stands before an argument of a call.
    var label: String { ["inout", "let", "var"].contains(plain) ? quoted : plain }

    /// Whether a linter takes it for the name of a property or function.
    var isLowerCamelCase: Bool {
        guard let first = plain.utf8.first, !(65...90).contains(first) else { return false }
        return !plain.utf8.dropFirst().contains(UInt8(ascii: "_"))
    }

    /// `name`, with underscores behind it where it is unusable or in `taken`.
    init(_ name: String, besides taken: Set<String>) {
        var plain = name
        while SwiftWords.unusable.contains(plain) || taken.contains(plain) { plain += "_" }
        self.plain = plain
    }
}

/// The names of one type's members, each given once.
struct MemberNames {
    private var taken: Set<String>

    init(reserved: Set<String>) { taken = reserved }

    /// The member's name for `name`.
    mutating func name(_ name: String) -> SwiftName {
        let swiftName = SwiftName(name, besides: taken)
        taken.insert(swiftName.plain)
        return swiftName
    }
}
