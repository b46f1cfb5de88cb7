/// The names of an owner in records, from the claims of a token.
struct OwnerNames: Sendable, Hashable {
    /// The name that new records get: all claims joined with `::`. If a later claim is missing, this is the first claim alone.
    /// `nil` if the first claim is missing.
    let full: String?
    /// All names in a record that count as this owner: the full name, and each claim alone.
    let all: [String]

    /// - Parameters:
    ///   - claims: The names of the claims that a rule gives.
    ///   - token: The claims of the caller's token.
    init(_ claims: [String], in token: TokenClaims) {
        var values = claims.map { name -> String? in
            // Access tokens of Cognito have the claim `username`. Its id tokens have the same value in `cognito:username`.
            let text = name == "username" || name == "cognito:username" ? token.username : token.text(name)
            return text.flatMap { $0.isEmpty ? nil : $0 }
        }
        // Only the last of several claims may contain the separator. Otherwise two callers could have the same full name.
        for index in values.indices.dropLast() where values[index].map(Self.hasSeparator) ?? false {
            values[index] = nil
        }
        let present = values.compactMap { $0 }
        let isWhole = present.count == values.count
        full = isWhole && !present.isEmpty ? present.joined(separator: "::") : values.first ?? nil
        // A single claim that looks like a full name must not count as one.
        let alone = claims.count == 1 ? present : present.filter { !Self.hasSeparator($0) }
        var all: [String] = isWhole ? [full].compactMap { $0 } : []
        for name in alone where !all.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { all.append(name) }
        self.all = all
    }

    private static func hasSeparator(_ text: String) -> Bool {
        zip(text.utf8, text.utf8.dropFirst()).contains { $0 == 0x3A && $1 == 0x3A }
    }
}
