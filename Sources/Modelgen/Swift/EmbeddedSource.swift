internal import TidelogSchema

/// The Swift source of an embedded type: a struct that is stored inside records.
struct EmbeddedSource {
    private let type: EmbeddedSchema
    private let run: GeneratorRun
    private let name: SwiftName
    private let members: GeneratorRun.Members
    private let fields: [FieldSource]

    init(_ type: EmbeddedSchema, _ run: GeneratorRun) {
        self.type = type
        self.run = run
        name = run.type(type.name)
        let members = run.members(of: type.name)
        self.members = members
        fields = type.fields.map { field in
            var source = FieldSource(schema: field, name: members.field(field.name), run: run)
            if case .embedded(let target) = field.type {
                source.isBoxed = run.isCircular(type.name, holding: target)
            }
            return source
        }
    }

    var declaration: GeneratorRun.Declaration {
        var text = SourceText()
        text.document(type.documentation, or: "`\(type.name)` of the schema, stored inside records.")
        let conformances = ["Sendable", "Hashable", "Codable"].map(run.swift) + [run.tidelog("Embedded")]
        text.conformances("\(run.access)struct \(name.quoted)", conformances)
        text.indented { text in
            for field in fields { field.property(&text) }
            text.blank()
            initializer(&text)
            text.blank()
            text.document("The type's schema.")
            text.write(SchemaLiterals(run).embedded(type), prefix: "\(run.access)static let schema = ")
            text.blank()
            text.codingKeys(fields, always: false, run)
            text.rowCoding(fields, relations: [], run)
            text.blank()
            keys(&text)
            text.blank()
            values(&text)
        }
        text.line("}")
        return GeneratorRun.Declaration(
            text, fileName: name.plain,
            isConventional: members.all.allSatisfy(\.isLowerCamelCase) && SwiftName.isTypeName(name.plain))
    }

    private func initializer(_ text: inout SourceText) {
        text.document("A value of these fields.")
        text.signature("\(run.access)init", fields.map(\.parameter))
        text.indented { text in
            for field in fields { text.assign("self.\(field.name.plain)", field.name.quoted) }
        }
        text.line("}")
    }

    // MARK: Keys

    private func keys(_ text: inout SourceText) {
        text.document("The fields, for predicates.")
        text.block("\(run.access)struct Keys: \(run.swift("Sendable"))") { text in
            for field in fields { field.key(&text, of: name, as: "EmbeddedField") }
        }
        text.document("The fields, after the name of a field that holds such a value.")
        text.line("\(run.access)static let keys = Keys()")
    }

    // MARK: Values of predicates

    private func values(_ text: inout SourceText) {
        let (access, fieldValue) = (run.access, run.tidelog("FieldValue"))
        text.document("The value as predicates and dynamic records hold it.")
        text.block("\(access)var fieldValue: \(fieldValue)") { text in
            text.line("var fields: [\(run.swift("String")): \(fieldValue)] = [:]")
            for field in fields {
                let value = Self.value(field.schema.type, field.reference, isOptional: !field.schema.isRequired)
                text.assign("fields[\(SwiftWords.literal(field.schema.name))]", value)
            }
            text.line("return .embedded(fields)")
        }
        text.blank()
        text.document("The value that `fieldValue` holds; `nil` where it is of another type or lacks a required field.")
        text.block("\(access)init?(fieldValue: \(fieldValue))") { text in
            text.line("guard case .embedded(let fields) = fieldValue else { return nil }")
            for field in fields {
                let value = "fields[\(SwiftWords.literal(field.schema.name))]"
                if field.schema.isRequired {
                    let isLocal = SwiftWords.isLocal(field.name.plain)
                    let name = isLocal ? field.name.plain + "_" : field.name.quoted
                    text.unwrap(name, "\(value).flatMap", conversion(field.schema.type, "$0"))
                    text.assign("self.\(field.name.plain)", name)
                } else {
                    let target = SwiftWords.isLocal(field.name.plain) ? field.reference : field.name.quoted
                    text.braces("\(target) = \(value).flatMap", .text(conversion(field.schema.type, "$0")))
                }
            }
        }
    }

    /// The Swift expression that converts `expression` to a value of predicates. The expression may be `nil` if `isOptional`.
    private static func value(_ type: FieldType, _ expression: String, isOptional: Bool) -> String {
        if !mayLackElements(type) { return expression + (isOptional ? "?" : "") + ".fieldValue" }
        if isOptional { return "\(expression).map { \(value(type, "$0", isOptional: false)) }" }
        guard case .list(let element, let elementIsRequired) = type else { return expression }
        return ".list(\(expression).map { \(value(element, "$0", isOptional: !elementIsRequired)) })"
    }

    /// The Swift expression that converts `expression`, a value of predicates, to `type`. The result is `nil` if the value has
    /// another type.
    private func conversion(_ type: FieldType, _ expression: String) -> String {
        guard Self.mayLackElements(type), case .list(let element, let elementIsRequired) = type else {
            return "\(run.swiftType(type))(fieldValue: \(expression))"
        }
        let inner = conversion(element, "$0")
        return elementIsRequired
            ? "\(expression).elements?.compactMap { $0.flatMap { \(inner) } }"
            : "\(expression).elements?.map { $0.flatMap { \(inner) } }"
    }

    private static func mayLackElements(_ type: FieldType) -> Bool {
        guard case .list(let element, let elementIsRequired) = type else { return false }
        return !elementIsRequired || mayLackElements(element)
    }
}
