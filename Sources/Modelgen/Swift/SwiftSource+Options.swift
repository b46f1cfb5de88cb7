internal import TidelogGraphQL
package import TidelogSDL
internal import TidelogSuggestion

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
