extension Parser {
    private static let extensionKeywords = ["schema", "scalar", "type", "interface", "union", "enum", "input"]

    /// TypeSystemExtension (§3.1), at `extend`. An extension that adds nothing is an error at the token behind it.
    mutating func typeSystemExtension() throws(GraphQLSyntaxError) -> Definition {
        let start = token.start
        try advance()
        guard token.kind == .name else { throw expected("what to extend") }
        let keyword = text(of: token)
        guard Parser.extensionKeywords.contains(keyword) else {
            throw expected("what to extend", among: Parser.extensionKeywords)
        }
        try advance()
        guard keyword != "schema" else { return .schemaExtension(try schemaExtension(from: start)) }
        let name = try name()
        switch keyword {
        case "scalar": return .typeExtension(.scalar(try scalarExtension(of: name, from: start)))
        case "type": return .typeExtension(.object(try objectExtension(of: name, from: start)))
        case "interface": return .typeExtension(.interface(try interfaceExtension(of: name, from: start)))
        case "union": return .typeExtension(.union(try unionExtension(of: name, from: start)))
        case "enum": return .typeExtension(.enum(try enumExtension(of: name, from: start)))
        default: return .typeExtension(.inputObject(try inputObjectExtension(of: name, from: start)))
        }
    }

    private mutating func schemaExtension(from start: Int) throws(GraphQLSyntaxError) -> SchemaExtension {
        let directives = try directives(constant: true)
        let operationTypes = try rootOperationTypes()
        guard !directives.isEmpty || !operationTypes.isEmpty else { throw expected("a directive or \"{\"") }
        return SchemaExtension(directives: directives, operationTypes: operationTypes, span: span(from: start))
    }

    private mutating func scalarExtension(
        of name: Name, from start: Int
    ) throws(GraphQLSyntaxError) -> ScalarTypeExtension {
        let directives = try directives(constant: true)
        guard !directives.isEmpty else { throw expected("a directive") }
        return ScalarTypeExtension(name: name, directives: directives, span: span(from: start))
    }

    private mutating func objectExtension(
        of name: Name, from start: Int
    ) throws(GraphQLSyntaxError) -> ObjectTypeExtension {
        let interfaces = try interfaces()
        let directives = try directives(constant: true)
        let fields = try fieldDefinitions()
        guard !interfaces.isEmpty || !directives.isEmpty || !fields.isEmpty else {
            throw expected("\"implements\", a directive or \"{\"")
        }
        return ObjectTypeExtension(
            name: name, interfaces: interfaces, directives: directives, fields: fields, span: span(from: start))
    }

    private mutating func interfaceExtension(
        of name: Name, from start: Int
    ) throws(GraphQLSyntaxError) -> InterfaceTypeExtension {
        let interfaces = try interfaces()
        let directives = try directives(constant: true)
        let fields = try fieldDefinitions()
        guard !interfaces.isEmpty || !directives.isEmpty || !fields.isEmpty else {
            throw expected("\"implements\", a directive or \"{\"")
        }
        return InterfaceTypeExtension(
            name: name, interfaces: interfaces, directives: directives, fields: fields, span: span(from: start))
    }

    private mutating func unionExtension(
        of name: Name, from start: Int
    ) throws(GraphQLSyntaxError) -> UnionTypeExtension {
        let directives = try directives(constant: true)
        let members = try unionMembers()
        guard !directives.isEmpty || !members.isEmpty else { throw expected("a directive or \"=\"") }
        return UnionTypeExtension(name: name, directives: directives, members: members, span: span(from: start))
    }

    private mutating func enumExtension(
        of name: Name, from start: Int
    ) throws(GraphQLSyntaxError) -> EnumTypeExtension {
        let directives = try directives(constant: true)
        let values = try enumValueDefinitions()
        guard !directives.isEmpty || !values.isEmpty else { throw expected("a directive or \"{\"") }
        return EnumTypeExtension(name: name, directives: directives, values: values, span: span(from: start))
    }

    private mutating func inputObjectExtension(
        of name: Name, from start: Int
    ) throws(GraphQLSyntaxError) -> InputObjectTypeExtension {
        let directives = try directives(constant: true)
        let fields = try inputFieldDefinitions()
        guard !directives.isEmpty || !fields.isEmpty else { throw expected("a directive or \"{\"") }
        return InputObjectTypeExtension(name: name, directives: directives, fields: fields, span: span(from: start))
    }
}
