/// What an owner is called in records, as a token's claims say.
struct OwnerNames: Sendable, Hashable {
    /// The name that new records get: all claims with `::` between them, or the first if another is missing; `nil` if the
    /// first is.
    let full: String?
    /// What may stand in a record that is the owner's: the full name, and each claim alone.
    let all: [String]

    /// - Parameters:
    ///   - claims: The names of the claims, as a rule gives them.
    ///   - token: What the caller's token says.
    init(_ claims: [String], in token: TokenClaims) {
        var values = claims.map { name -> String? in
            // Access tokens of Cognito call `username` what its id tokens call `cognito:username`.
            let text = name == "username" || name == "cognito:username" ? token.username : token.text(name)
            return text.flatMap { $0.isEmpty ? nil : $0 }
        }
        // Only the last of several claims may have the separator in it: elsewhere two callers could have one full name.
        for index in values.indices.dropLast() where values[index].map(Self.hasSeparator) ?? false {
            values[index] = nil
        }
        let present = values.compactMap { $0 }
        let isWhole = present.count == values.count
        full = isWhole && !present.isEmpty ? present.joined(separator: "::") : values.first ?? nil
        // A claim that looks like a full name is not taken for one.
        let alone = claims.count == 1 ? present : present.filter { !Self.hasSeparator($0) }
        var all: [String] = isWhole ? [full].compactMap { $0 } : []
        for name in alone where !all.contains(where: { $0.utf8.elementsEqual(name.utf8) }) { all.append(name) }
        self.all = all
    }

    private static func hasSeparator(_ text: String) -> Bool {
        zip(text.utf8, text.utf8.dropFirst()).contains { $0 == 0x3A && $1 == 0x3A }
    }
}
