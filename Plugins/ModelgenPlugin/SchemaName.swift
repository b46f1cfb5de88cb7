/// The name of a schema, derived from its file.
enum SchemaName {
    /// The name for a file called `base`: `app` for `schema`, and otherwise the words of `base` in lower camel case.
    static func of(_ base: String) -> String {
        if base == "schema" { return "app" }
        let words = base.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        guard let first = words.first, let letter = first.first, letter.isLetter else { return "app" }
        return first.prefix(1).lowercased() + first.dropFirst()
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
