internal import TidelogSchema

/// The Swift source of an enum. The enum keeps texts that it does not know.
struct EnumSource {
    private let type: EnumSchema
    private let run: GeneratorRun
    private let names: Names

    init(_ type: EnumSchema, _ run: GeneratorRun) {
        self.type = type
        self.run = run
        names = Names(type)
    }

    var declaration: GeneratorRun.Declaration {
        let name = run.type(type.name)
        var text = SourceText()
        text.document(type.documentation, or: "One of the texts of `\(type.name)` in the schema.")
        let conformances =
            ["RawRepresentable", "Sendable", "Hashable", "Codable", "CaseIterable"].map(run.swift)
            + [run.tidelog("FieldConvertible")]
        text.conformances("\(run.access)enum \(name.quoted)", conformances)
        text.indented(body)
        text.line("}")
        return GeneratorRun.Declaration(
            text, fileName: name.plain,
            isConventional: names.areConventional && SwiftName.isTypeName(name.plain))
    }

    private func body(_ text: inout SourceText) {
        let (access, string) = (run.access, run.swift("String"))
        for value in type.cases {
            text.document("`\(value)` in the schema.")
            text.line("case \(names.name(value).quoted)")
        }
        text.document("A case that this build does not know; its text is kept when a record is written again.")
        text.line("case \(names.unknown.quoted)(\(string))")
        text.blank()
        text.document("The cases of the schema, in its order.")
        text.write(
            .array(type.cases.map { .text(".\(names.name($0).plain)") }),
            prefix: "\(access)static let allCases: [\(run.type(type.name).quoted)] = ")
        text.blank()
        text.document("The case whose text is `rawValue`.")
        text.block("\(access)init(rawValue: \(string))") { text in
            text.line("switch rawValue {")
            for value in type.cases {
                text.halves("case \(SwiftWords.literal(value)):", "self = .\(names.name(value).plain)")
            }
            text.line("default: self = .\(names.unknown.plain)(rawValue)")
            text.line("}")
        }
        text.blank()
        text.document("The text in the schema.")
        text.block("\(access)var rawValue: \(string)") { text in
            text.line("switch self {")
            for value in type.cases {
                text.halves("case .\(names.name(value).plain):", SwiftWords.literal(value))
            }
            text.line("case .\(names.unknown.plain)(let text): text")
            text.line("}")
        }
    }

    /// The Swift names of an enum's cases.
    struct Names {
        private let names: [String: SwiftName]
        /// The case for texts that this build does not know.
        let unknown: SwiftName

        init(_ type: EnumSchema) {
            var byCamelCase: [String: Int] = [:]
            for text in type.cases { byCamelCase[SwiftWords.lowerCamelCase(text), default: 0] += 1 }
            var members = SwiftName.Supply(reserved: SwiftWords.enumMembers)
            var names: [String: SwiftName] = [:]
            // If two cases would get the same name, neither gets it. Both keep the texts of the schema as names.
            for text in type.cases where byCamelCase[SwiftWords.lowerCamelCase(text)] != 1 {
                names[text] = members.name(text)
            }
            for text in type.cases where names[text] == nil {
                names[text] = members.name(SwiftWords.lowerCamelCase(text))
            }
            unknown = members.name("unknown")
            self.names = names
        }

        func name(_ text: String) -> SwiftName { names[text] ?? unknown }

        var areConventional: Bool { unknown.isLowerCamelCase && names.values.allSatisfy(\.isLowerCamelCase) }
    }
}
