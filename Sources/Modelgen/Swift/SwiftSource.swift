internal import TidelogAgreement
internal import TidelogGraphQL
package import TidelogSDL
package import TidelogSchema
internal import TidelogSuggestion

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
    package static func files(for schema: Schema, options: Options) -> [File] {
        let run = GeneratorRun(schema: schema, options: options)
        var files: [File] = []
        var taken: Set<String> = []
        for declaration in run.declarations {
            var name = declaration.fileName == "main" ? "main+Model" : declaration.fileName
            var number = 2
            while !taken.insert(name.lowercased()).inserted {
                name = "\(declaration.fileName)+\(number)"
                number += 1
            }
            files.append(File(name: name + ".swift", text: run.file([declaration])))
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
    package static func isSchemaName(_ text: String) -> Bool { isName(text, beginningWith: 97...122) }

    /// Whether `text` can be the name of a type: a Swift name that begins with a capital letter.
    package static func isTypeName(_ text: String) -> Bool { isName(text, beginningWith: 65...90) }

    private static func isName(_ text: String, beginningWith letters: ClosedRange<UInt8>) -> Bool {
        guard let first = text.utf8.first, letters.contains(first), Names.isName(text) else { return false }
        return !SwiftWords.unusable.contains(text)
    }

    /// A file that was generated from a schema.
    package struct File: Sendable, Hashable {
        /// The name of the file, without a directory.
        package let name: String
        /// The whole text of the file.
        package let text: String
    }
}

// MARK: - Options

/// The options of the generator that people set, either on a command line or in an options file next to the schema. The build
/// plugin finds such a file too.
extension SwiftSource.Options {
    /// The name of an option.
    package enum Name: String, Sendable, CaseIterable {
        /// The option ``SwiftSource/Options/access``.
        case access
        /// The option ``SwiftSource/Options/schemaName``.
        case schemaName = "schema-name"
        /// The option ``SwiftSource/Options/registration``.
        case registration
    }

    /// An option has an invalid value.
    package struct InvalidValue: Error, Sendable, Hashable {
        /// The error message. It begins with the option's name.
        package let message: String
    }

    /// Sets the option `name`.
    package mutating func set(_ name: Name, to value: String) throws(InvalidValue) {
        switch name {
        case .access:
            guard let access = SwiftSource.Access(rawValue: value) else {
                throw InvalidValue(message: "access is public, package or internal, not \"\(value)\"")
            }
            self.access = access
        case .schemaName:
            guard SwiftSource.isSchemaName(value) else {
                throw InvalidValue(
                    message: "schema-name takes a name of Swift that begins with a small letter, not \"\(value)\"")
            }
            schemaName = value
        case .registration:
            guard SwiftSource.isTypeName(value) else {
                throw InvalidValue(
                    message: "registration takes a name of Swift that begins with a capital letter, not \"\(value)\"")
            }
            registration = value
        }
    }

    /// The path of the options file for the schema at `path`, whether or not it exists. For example, the file for
    /// `blog.graphql` is `blog.modelgen`.
    package static func path(besideSchemaAt path: String) -> String {
        (path.hasSuffix(".graphql") ? String(path.dropLast(8)) : path) + ".modelgen"
    }

    /// Sets the options that the options file `text` contains. Each option is on a line `name: value`. Empty lines and lines
    /// that begin with `#` are ignored.
    ///
    /// - Throws: ``SchemaDiagnostic`` for the first wrong line.
    package mutating func set(by text: [UInt8]) throws(SchemaDiagnostic) {
        guard let text = String(validating: text, as: UTF8.self) else {
            throw SchemaDiagnostic("the file is not in UTF-8", at: SourceLocation(line: 1, column: 1))
        }
        var seen: Set<Name> = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            let words = OptionLine(line, number: index + 1)
            guard !words.isEmpty else { continue }
            guard let value = words.value else {
                throw SchemaDiagnostic("expected an option, like \"access: internal\"", at: words.nameLocation)
            }
            guard let name = Name(rawValue: words.name) else {
                throw SchemaDiagnostic(
                    "there is no option \"\(words.name)\"", at: words.nameLocation,
                    suggestion: Suggestion.didYouMean(words.name, among: Name.allCases.map(\.rawValue)))
            }
            guard seen.insert(name).inserted else {
                throw SchemaDiagnostic("\(words.name) was said before", at: words.nameLocation)
            }
            do { try set(name, to: value) } catch {
                throw SchemaDiagnostic(error.message, at: words.valueLocation)
            }
        }
    }
}

/// A line of an options file.
private struct OptionLine {
    let name: String
    /// The value after the colon; `nil` if there is no colon.
    let value: String?
    private let number: Int
    private let nameColumn: Int
    private let valueColumn: Int

    init(_ line: Substring, number: Int) {
        let scalars = line.unicodeScalars
        let blank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" }
        func trimmed(_ part: Substring.UnicodeScalarView) -> (text: String, column: Int) {
            let start = part.drop(while: blank)
            var end = start
            while let last = end.last, blank(last) { end.removeLast() }
            return (String(end), scalars.distance(from: scalars.startIndex, to: start.startIndex) + 1)
        }
        let parts = scalars.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        (name, nameColumn) = parts.first.map(trimmed) ?? ("", 1)
        if parts.count > 1 {
            let (text, column) = trimmed(parts[1])
            (value, valueColumn) = (text, column)
        } else {
            (value, valueColumn) = (nil, 1)
        }
        self.number = number
    }

    var isEmpty: Bool { name.isEmpty && value == nil || name.hasPrefix("#") }
    var nameLocation: SourceLocation { SourceLocation(line: number, column: nameColumn) }
    var valueLocation: SourceLocation { SourceLocation(line: number, column: valueColumn) }
}
