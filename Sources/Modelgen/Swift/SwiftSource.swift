internal import TidelogSDL
package import TidelogSchema
internal import TidelogWire

/// Generates the Swift source for the models of a schema: structs that encode and decode themselves without reflection.
///
/// The same schema and options always generate the same text. `swift format` does not change the text.
package enum SwiftSource {
    /// The access level of the generated symbols.
    package enum Access: String, Sendable, CaseIterable {
        /// All modules that import the module with the models.
        case `public`
        /// All modules of the package that contains the models.
        case `package`
        /// Only the module with the models.
        case `internal`
    }

    /// The options of the generator.
    package struct Options: Sendable {
        /// The name of the schema file, for the first line of each generated file.
        package var schemaFile: String
        /// The name of the schema in Swift: `app` generates `Schema.app`.
        package var schemaName: String
        /// The access level of the generated symbols.
        package var access: Access
        /// The name of the type that registers the models by name, see ``AmplifyModelRegistration``; `nil` for no such type.
        package var registration: String?
        /// The names of each model's fields and relations in the order of the schema document. The parameters of initializers
        /// have the same order. Members without a name here come last, except an implied `id`, which comes first.
        package var memberNames: [String: [String]]

        /// Makes options for the schema file `schemaFile`, given without its directory.
        package init(
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

    /// Generates one file for each type of `schema` and one file for the schema, sorted by name.
    package static func files(for schema: Schema, options: Options) -> [GeneratedFile] {
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

    /// Generates all of `schema` as one file.
    package static func text(for schema: Schema, options: Options) -> String {
        let run = GeneratorRun(schema: schema, options: options)
        return run.file(run.declarations)
    }

    /// Whether `text` is a generated file, which may be replaced or removed.
    package static func isGenerated(_ text: some StringProtocol) -> Bool {
        let first = text.prefix { !$0.isNewline }
        return first.hasPrefix(GeneratorRun.headerStart) && first.hasSuffix(GeneratorRun.headerEnd)
    }

    /// Whether `text` can be the name of a schema: a Swift name in lower camel case.
    package static func isSchemaName(_ text: String) -> Bool {
        isName(text, beginningWith: 97...122)
    }

    /// Whether `text` can be the name of a type: a Swift name that begins with a capital letter.
    package static func isTypeName(_ text: String) -> Bool { isName(text, beginningWith: 65...90) }

    private static func isName(_ text: String, beginningWith letters: ClosedRange<UInt8>) -> Bool {
        guard let first = text.utf8.first, letters.contains(first), Names.isName(text) else { return false }
        return !SwiftWords.unusable.contains(text)
    }
}

/// A file that was generated from a schema.
package struct GeneratedFile: Sendable, Hashable {
    /// The name of the file, without a directory.
    package let name: String
    /// The whole text of the file.
    package let text: String
}
