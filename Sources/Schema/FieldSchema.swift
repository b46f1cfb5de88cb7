internal import TidelogSchemaDirectives

/// One field of a model or embedded type.
public struct FieldSchema: Sendable, Hashable {
    /// The field's name, unique in its type.
    public var name: String
    /// The field's type.
    public var type: FieldType
    /// Whether every row must have a value here.
    public var isRequired: Bool
    /// Whether only a server sets this field (for example `createdAt`, `updatedAt`).
    public var isReadOnly: Bool
    /// The default value, which is used if a writer sets no value. `nil` if the schema declares none.
    public var defaultValue: FieldValue?
    /// The directives that are stored but not interpreted, as SDL text.
    public var directives: [String]
    /// The declared scalar of the schema language (for example `AWSEmail`) for a text field or a list of texts.
    ///
    /// It is `nil` if ``type`` already determines the scalar.
    public var scalar: String?
    /// The schema's description of the field.
    public var documentation: String?

    /// A field called `name`.
    public init(
        _ name: String, _ type: FieldType, isRequired: Bool = false, isReadOnly: Bool = false,
        defaultValue: FieldValue? = nil, directives: [String] = [], scalar: String? = nil,
        documentation: String? = nil
    ) {
        self.name = name
        self.type = type
        self.isRequired = isRequired
        self.isReadOnly = isReadOnly
        self.defaultValue = defaultValue
        self.directives = directives
        self.scalar = scalar
        self.documentation = documentation
    }
}

extension FieldSchema {
    /// The rules for the field's values: its `@validate` directives. The list is in the order of ``directives``.
    ///
    /// A directive that is no rule is left out. ``Schema/validate()`` finds such directives.
    public var rules: [ValidationRule] { directives.flatMap { (try? ValidationRule.rules(in: $0)) ?? [] } }

    /// Checks that each `@validate` directive is a rule that fits the field's type.
    func checkRules() throws(ValidationRule.Problem) {
        var kinds = Set<ValidationRule.Kind>()
        for directive in directives {
            for rule in try ValidationRule.rules(in: directive) {
                let fits =
                    switch type {
                    case .int, .double: rule.kind.isOfNumbers
                    case .string: !rule.kind.isOfNumbers
                    default: false
                    }
                guard fits else {
                    let types = rule.kind.isOfNumbers ? "Int or Float" : "String"
                    throw ValidationRule.Problem(
                        reason: "\(rule.kind.rawValue) compares \(types), and the field is \(type.sdl)")
                }
                guard kinds.insert(rule.kind).inserted else {
                    throw ValidationRule.Problem(reason: "@validate says \(rule.kind.rawValue) twice")
                }
            }
        }
    }
}

extension ValidationRule {
    /// The rules in the text of directives.
    fileprivate static func rules(in text: String) throws(Problem) -> [ValidationRule] {
        guard text.utf8.starts(with: "@validate".utf8) else { return [] }
        guard let directives = DirectiveText.arguments(of: "validate", in: text) else {
            throw Problem(reason: "the text of a @validate directive cannot be read")
        }
        var rules: [ValidationRule] = []
        for arguments in directives {
            guard let name = arguments["type"]?.text, let kind = Kind(rawValue: name) else {
                let names = Kind.allCases.map(\.rawValue).joined(separator: ", ")
                throw Problem(reason: "\"type\" of @validate must be one of \(names)")
            }
            guard let value = arguments["value"]?.text else { throw Problem(reason: "@validate needs \"value\"") }
            rules.append(try ValidationRule(kind, value, errorMessage: arguments["errorMessage"]?.text))
        }
        return rules
    }
}
