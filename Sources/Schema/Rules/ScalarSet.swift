/// A set of characters in a ``TextPattern``.
struct ScalarSet: Sendable {
    /// A category of Unicode characters, such as `\p{L}`, or all characters outside it.
    struct Category: Sendable {
        /// The category's name of one or two letters. One letter stands for all categories that begin with it.
        let name: String
        let isNegated: Bool

        func contains(_ scalar: UInt32) -> Bool {
            guard let scalar = Unicode.Scalar(scalar) else { return isNegated }
            return scalar.properties.generalCategory.code.hasPrefix(name) != isNegated
        }
    }

    private var ranges: [ClosedRange<UInt32>]
    private var categories: [Category] = []
    private var isNegated = false
    /// Whether each ASCII character is in the set, the first one at the lowest bit.
    private var ascii: (low: UInt64, high: UInt64) = (0, 0)

    init(_ ranges: [ClosedRange<UInt32>], categories: [Category] = [], isNegated: Bool = false) {
        self.ranges = ranges
        self.categories = categories
        self.isNegated = isNegated
        for scalar in UInt32(0)..<64 where holds(scalar) { ascii.low |= 1 << UInt64(scalar) }
        for scalar in UInt32(64)..<128 where holds(scalar) { ascii.high |= 1 << UInt64(scalar - 64) }
    }

    func contains(_ scalar: UInt32) -> Bool {
        if scalar < 64 { return ascii.low >> UInt64(scalar) & 1 == 1 }
        if scalar < 128 { return ascii.high >> UInt64(scalar - 64) & 1 == 1 }
        return holds(scalar)
    }

    private func holds(_ scalar: UInt32) -> Bool {
        let isMember = ranges.contains { $0.contains(scalar) } || categories.contains { $0.contains(scalar) }
        return isMember != isNegated
    }

    private static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
    private static let words: [ClosedRange<UInt32>] = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
    private static let blanks: [ClosedRange<UInt32>] = [0x09...0x0D, 0x20...0x20]

    /// The letters and digits of ASCII, and the underscore.
    static let word = ScalarSet(words)
    /// All characters that do not end a line.
    static let any = ScalarSet([0x0A...0x0A, 0x0D...0x0D, 0x85...0x85, 0x2028...0x2029], isNegated: true)

    /// The ranges that the letter after a backslash stands for, `nil` if it stands for none.
    static func ranges(of letter: Unicode.Scalar) -> [ClosedRange<UInt32>]? {
        switch letter {
        case "d": digits
        case "w": words
        case "s": blanks
        case "D": complement(digits)
        case "W": complement(words)
        case "S": complement(blanks)
        default: nil
        }
    }

    private static func complement(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var others: [ClosedRange<UInt32>] = []
        var start: UInt32 = 0
        for range in ranges {
            if start < range.lowerBound { others.append(start...(range.lowerBound - 1)) }
            start = range.upperBound + 1
        }
        return others + [start...0x10FFFF]
    }
}

extension Unicode.GeneralCategory {
    /// The names of all categories, and the letters with which they begin.
    static let codes = Set(
        ["Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po"]
            + ["Sm", "Sc", "Sk", "So", "Zs", "Zl", "Zp", "Cc", "Cf", "Cs", "Co", "Cn"] + [
                "L", "M", "N", "P", "S", "Z", "C",
            ]
    )

    /// The name of two letters that Unicode gives the category.
    fileprivate var code: String {
        switch self {
        case .uppercaseLetter: "Lu"
        case .lowercaseLetter: "Ll"
        case .titlecaseLetter: "Lt"
        case .modifierLetter: "Lm"
        case .otherLetter: "Lo"
        case .nonspacingMark: "Mn"
        case .spacingMark: "Mc"
        case .enclosingMark: "Me"
        case .decimalNumber: "Nd"
        case .letterNumber: "Nl"
        case .otherNumber: "No"
        case .connectorPunctuation: "Pc"
        case .dashPunctuation: "Pd"
        case .openPunctuation: "Ps"
        case .closePunctuation: "Pe"
        case .initialPunctuation: "Pi"
        case .finalPunctuation: "Pf"
        case .otherPunctuation: "Po"
        case .mathSymbol: "Sm"
        case .currencySymbol: "Sc"
        case .modifierSymbol: "Sk"
        case .otherSymbol: "So"
        case .spaceSeparator: "Zs"
        case .lineSeparator: "Zl"
        case .paragraphSeparator: "Zp"
        case .control: "Cc"
        case .format: "Cf"
        case .surrogate: "Cs"
        case .privateUse: "Co"
        case .unassigned: "Cn"
        @unknown default: "Cn"
        }
    }
}
