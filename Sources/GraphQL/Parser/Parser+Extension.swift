extension Parser {
    private static let extensionKeywords = ["schema", "scalar", "type", "interface", "union", "enum", "input"]

    /// Parses a TypeSystemExtension (§3.1), from `extend` on. If an extension adds nothing, the token after it is reported as
    /// an error.
    mutating func typeSystemExtension() throws(GraphQLSyntaxError) -> Definition {
        let start = token.start
        try advance()
        guard token.kind == .name else { throw expected("a kind of definition to extend") }
        if isNext(keyword: "schema") { return .schemaExtension(try schemaExtension(from: start)) }
        guard let addition = try typeDefinition(nil, from: start) else {
            throw expected("a kind of definition to extend", among: Parser.extensionKeywords)
        }
        if addition.isEmpty { throw expected(addition.possibleAdditions) }
        return .typeExtension(addition)
    }

    private mutating func schemaExtension(from start: Int) throws(GraphQLSyntaxError) -> SchemaExtension {
        try advance()
        let directives = try directives(constant: true)
        let operationTypes = try rootOperationTypes()
        guard !directives.isEmpty || !operationTypes.isEmpty else { throw expected("a directive or \"{\"") }
        return SchemaExtension(directives: directives, operationTypes: operationTypes, span: span(from: start))
    }
}

extension TypeDefinition {
    /// Whether the definition has nothing after its name.
    fileprivate var isEmpty: Bool {
        guard directives.isEmpty else { return false }
        return switch self {
        case .scalar: true
        case .object(let type): type.interfaces.isEmpty && type.fields.isEmpty
        case .interface(let type): type.interfaces.isEmpty && type.fields.isEmpty
        case .union(let type): type.members.isEmpty
        case .enum(let type): type.values.isEmpty
        case .inputObject(let type): type.fields.isEmpty
        }
    }

    /// The parts that can follow the name.
    fileprivate var possibleAdditions: String {
        switch self {
        case .scalar: "a directive"
        case .object, .interface: "\"implements\", a directive or \"{\""
        case .union: "a directive or \"=\""
        case .enum, .inputObject: "a directive or \"{\""
        }
    }
}
