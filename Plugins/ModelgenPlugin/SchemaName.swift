import Foundation

/// The files with schemas, and the names of the schemas.
enum SchemaName {
    /// Whether the file at `url` has a schema.
    static func isSchema(_ url: URL) -> Bool {
        url.pathExtension == "graphql" || url.lastPathComponent == "amplify_outputs.json"
    }

    /// The name for a file called `base`: `app` for `schema` and `amplify_outputs`, and otherwise the words of `base` in lower
    /// camel case.
    static func of(_ base: String) -> String {
        if base == "schema" || base == "amplify_outputs" { return "app" }
        let words = base.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        guard let first = words.first, let letter = first.first, letter.isLetter else { return "app" }
        return first.prefix(1).lowercased() + first.dropFirst()
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
    }
}
