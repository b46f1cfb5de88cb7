/// Parses type definitions (§3.4), from their keywords on. `start` is the start of the description, of the keyword, or of
/// `extend`.
extension Parser {
    /// Parses a type definition of any kind; `nil` if the token is another keyword.
    mutating func typeDefinition(
        _ description: StringValue?, from start: Int
    ) throws(GraphQLSyntaxError) -> TypeDefinition? {
        switch text(of: token) {
        case "scalar": .scalar(try scalarType(description, from: start))
        case "type": .object(try objectType(description, from: start))
        case "interface": .interface(try interfaceType(description, from: start))
        case "union": .union(try unionType(description, from: start))
        case "enum": .enum(try enumType(description, from: start))
        case "input": .inputObject(try inputObjectType(description, from: start))
        default: nil
        }
    }

    private mutating func scalarType(
        _ description: StringValue?, from start: Int
    ) throws(GraphQLSyntaxError) -> ScalarTypeDefinition {
        try advance()
        let name = try name()
        let directives = try directives(constant: true)
        return ScalarTypeDefinition(
            description: description, name: name, directives: directives, span: span(from: start))
    }

    private mutating func objectType(
        _ description: StringValue?, from start: Int
    ) throws(GraphQLSyntaxError) -> ObjectTypeDefinition {
        try advance()
        let name = try name()
        let interfaces = try interfaces()
        let directives = try directives(constant: true)
        let fields = try fieldDefinitions()
        return ObjectTypeDefinition(
            description: description, name: name, interfaces: interfaces, directives: directives, fields: fields,
            span: span(from: start))
    }

    private mutating func interfaceType(
        _ description: StringValue?, from start: Int
    ) throws(GraphQLSyntaxError) -> InterfaceTypeDefinition {
        try advance()
        let name = try name()
        let interfaces = try interfaces()
        let directives = try directives(constant: true)
        let fields = try fieldDefinitions()
        return InterfaceTypeDefinition(
            description: description, name: name, interfaces: interfaces, directives: directives, fields: fields,
            span: span(from: start))
    }

    private mutating func unionType(
        _ description: StringValue?, from start: Int
    ) throws(GraphQLSyntaxError) -> UnionTypeDefinition {
        try advance()
        let name = try name()
        let directives = try directives(constant: true)
        let members = try unionMembers()
        return UnionTypeDefinition(
            description: description, name: name, directives: directives, members: members, span: span(from: start))
    }

    private mutating func enumType(
        _ description: StringValue?, from start: Int
    ) throws(GraphQLSyntaxError) -> EnumTypeDefinition {
        try advance()
        let name = try name()
        let directives = try directives(constant: true)
        let values = try enumValueDefinitions()
        return EnumTypeDefinition(
            description: description, name: name, directives: directives, values: values, span: span(from: start))
    }

    private mutating func inputObjectType(
        _ description: StringValue?, from start: Int
    ) throws(GraphQLSyntaxError) -> InputObjectTypeDefinition {
        try advance()
        let name = try name()
        let directives = try directives(constant: true)
        let fields = try inputFieldDefinitions()
        return InputObjectTypeDefinition(
            description: description, name: name, directives: directives, fields: fields, span: span(from: start))
    }
}
