public import TidelogCore
internal import TidelogSDL
internal import TidelogWire

/// Writes the Swift source of a schema's models: structs that encode and decode themselves, without reflection.
///
/// The same schema and options always give the same text, and the text is as `swift format` leaves it.
public enum SwiftSource {
    /// Who sees the generated symbols.
    public enum Access: String, Sendable, CaseIterable {
        /// Every module that imports the one with the models.
        case `public`
        /// Every module of the package with the models.
        case `package`
        /// The module with the models.
        case `internal`
    }

    /// What the schema itself does not say.
    public struct Options: Sendable {
        /// The name of the file with the schema, for the first line of each file.
        public var schemaFile: String
        /// What the schema is called: `app` makes it `Schema.app`.
        public var schemaName: String
        /// Who sees the generated symbols.
        public var access: Access
        /// What the type is called that registers the models by name, ``AmplifyModelRegistration``; `nil` for none.
        public var registration: String?
        /// The names of each model's fields and relations in the order of the schema's document: that of the parameters of
        /// initializers. What is not named comes last, but for an implied `id`, which comes first.
        public var memberNames: [String: [String]]

        /// Options for the schema in `schemaFile`, without its directory.
        public init(
            schemaFile: String, schemaName: String = "app", access: Access = .public,
            registration: String? = nil, memberNames: [String: [String]] = [:]
        ) {
            self.schemaFile = schemaFile
            self.schemaName = schemaName
            self.access = access
            self.registration = registration
            self.memberNames = memberNames
        }
    }

    /// One file for each type of `schema`, and one for the schema, by name.
    public static func files(for schema: Schema, options: Options) -> [GeneratedFile] {
        let run = GeneratorRun(schema: schema, options: options)
        var files: [GeneratedFile] = []
        var taken: Set<String> = []
        for declaration in run.declarations {
            var name = declaration.fileName == "main" ? "main+Model" : declaration.fileName
            var number = 2
            while !taken.insert(name.lowercased()).inserted {
                name = "\(declaration.fileName)+\(number)"
                number += 1
            }
            files.append(GeneratedFile(name: name + ".swift", text: run.file([declaration])))
        }
        return files.sorted { $0.name < $1.name }
    }

    /// All of `schema` in one file.
    public static func text(for schema: Schema, options: Options) -> String {
        let run = GeneratorRun(schema: schema, options: options)
        return run.file(run.declarations)
    }

    /// Whether `text` is a file that was generated, and so may be replaced or removed.
    public static func isGenerated(_ text: some StringProtocol) -> Bool {
        let first = text.prefix { !$0.isNewline }
        return first.hasPrefix(GeneratorRun.headerStart) && first.hasSuffix(GeneratorRun.headerEnd)
    }

    /// Whether `text` can be the name of a schema: a name of Swift in lower camel case.
    public static func isSchemaName(_ text: String) -> Bool {
        isName(text, beginningWith: 97...122)
    }

    /// Whether `text` can be the name of a type: a name of Swift that begins with a capital letter.
    public static func isTypeName(_ text: String) -> Bool { isName(text, beginningWith: 65...90) }

    private static func isName(_ text: String, beginningWith letters: ClosedRange<UInt8>) -> Bool {
        guard let first = text.utf8.first, letters.contains(first), Names.isName(text) else { return false }
        return !SwiftWords.unusable.contains(text)
    }
}

/// A file that was made from a schema.
public struct GeneratedFile: Sendable, Hashable {
    /// Its name, without a directory.
    public let name: String
    /// All of its text.
    public let text: String
}
