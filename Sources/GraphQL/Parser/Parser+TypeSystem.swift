extension Parser {
    /// Parses a SchemaDefinition (§3.3), from its keyword on.
    mutating func schema(_ description: StringValue?, from start: Int) throws(GraphQLSyntaxError) -> SchemaDefinition {
        try advance()
        let directives = try directives(constant: true)
        guard token.kind == .leftBrace else { throw expected("\"{\"") }
        let operationTypes = try rootOperationTypes()
        return SchemaDefinition(
            description: description, directives: directives, operationTypes: operationTypes, span: span(from: start))
    }

    /// Parses `{ RootOperationTypeDefinition… }`, if it is present.
    mutating func rootOperationTypes() throws(GraphQLSyntaxError) -> [SchemaDefinition.RootType] {
        try optionalList(.leftBrace, .rightBrace, "an operation type") {
            parser throws(GraphQLSyntaxError) in
            let start = parser.token.start
            let operation = try parser.operationType()
            try parser.expect(.colon)
            let type = try parser.namedType()
            return SchemaDefinition.RootType(operation: operation, type: type, span: parser.span(from: start))
        }
    }

    /// Parses a DirectiveDefinition (§3.13), from its keyword on.
    mutating func directiveDefinition(
        _ description: StringValue?, from start: Int
    ) throws(GraphQLSyntaxError) -> DirectiveDefinition {
        try advance()
        try expect(.at)
        let name = try name("the name of a directive")
        let arguments = try argumentDefinitions()
        let isRepeatable = try skip(keyword: "repeatable")
        guard try skip(keyword: "on") else { throw expected(isRepeatable ? "\"on\"" : "\"repeatable\" or \"on\"") }
        let locations = try separated(by: .pipe) {
            parser throws(GraphQLSyntaxError) in try parser.directiveLocation()
        }
        return DirectiveDefinition(
            description: description, name: name, arguments: arguments, isRepeatable: isRepeatable,
            locations: locations, span: span(from: start))
    }

    private mutating func directiveLocation() throws(GraphQLSyntaxError) -> DirectiveDefinition.Location {
        guard token.kind == .name, let location = DirectiveDefinition.Location(rawValue: text(of: token)) else {
            throw expected("a directive location", among: DirectiveDefinition.Location.allCases.map(\.rawValue))
        }
        try advance()
        return location
    }

    /// Parses a FieldsDefinition (§3.6), if it is present.
    mutating func fieldDefinitions() throws(GraphQLSyntaxError) -> [FieldDefinition] {
        try optionalList(.leftBrace, .rightBrace, "a field definition") {
            parser throws(GraphQLSyntaxError) in
            guard parser.token.kind != .equals else {
                throw parser.expected("a field definition", "only arguments and input fields have default values")
            }
            let start = parser.token.start
            let description = try parser.description()
            let name = try parser.name("a field definition")
            let arguments = try parser.argumentDefinitions()
            try parser.expect(.colon)
            let type = try parser.type()
            let directives = try parser.directives(constant: true)
            return FieldDefinition(
                description: description, name: name, arguments: arguments, type: type, directives: directives,
                span: parser.span(from: start))
        }
    }

    /// Parses an ArgumentsDefinition (§3.6.1), if it is present.
    mutating func argumentDefinitions() throws(GraphQLSyntaxError) -> [InputValueDefinition] {
        try optionalList(.leftParenthesis, .rightParenthesis, "an argument definition") {
            parser throws(GraphQLSyntaxError) in try parser.inputValueDefinition("an argument definition")
        }
    }

    /// Parses an InputFieldsDefinition (§3.10), if it is present.
    mutating func inputFieldDefinitions() throws(GraphQLSyntaxError) -> [InputValueDefinition] {
        try optionalList(.leftBrace, .rightBrace, "an input field definition") {
            parser throws(GraphQLSyntaxError) in try parser.inputValueDefinition("an input field definition")
        }
    }

    private mutating func inputValueDefinition(
        _ expectation: String
    ) throws(GraphQLSyntaxError) -> InputValueDefinition {
        let start = token.start
        let description = try description()
        let name = try name(expectation)
        try expect(.colon)
        let type = try type()
        let defaultValue = try skip(.equals) ? try value(constant: true) : nil
        let directives = try directives(constant: true)
        return InputValueDefinition(
            description: description, name: name, type: type, defaultValue: defaultValue, directives: directives,
            span: span(from: start))
    }

    /// Parses an EnumValuesDefinition (§3.9), if it is present.
    mutating func enumValueDefinitions() throws(GraphQLSyntaxError) -> [EnumValueDefinition] {
        try optionalList(.leftBrace, .rightBrace, "an enum value") {
            parser throws(GraphQLSyntaxError) in
            let start = parser.token.start
            let description = try parser.description()
            if parser.isNext(keyword: "true") || parser.isNext(keyword: "false") || parser.isNext(keyword: "null") {
                throw parser.expected("an enum value", "true, false and null cannot be enum values")
            }
            let name = try parser.name("an enum value")
            let directives = try parser.directives(constant: true)
            return EnumValueDefinition(
                description: description, name: name, directives: directives, span: parser.span(from: start))
        }
    }

    /// Parses ImplementsInterfaces (§3.6), if it is present.
    mutating func interfaces() throws(GraphQLSyntaxError) -> [Name] {
        guard try skip(keyword: "implements") else { return [] }
        let interfaces = try separated(by: .ampersand) {
            parser throws(GraphQLSyntaxError) in try parser.namedType("the name of an interface")
        }
        // Commas have no meaning, so the error in `implements A, B` only shows at B.
        if token.kind == .name, !Parser.definitionKeywords.contains(text(of: token)) {
            throw expected("\"&\", a directive or \"{\"", "interfaces are joined by \"&\"")
        }
        return interfaces
    }

    /// Parses UnionMemberTypes (§3.8), if they are present.
    mutating func unionMembers() throws(GraphQLSyntaxError) -> [Name] {
        guard try skip(.equals) else { return [] }
        return try separated(by: .pipe) { parser throws(GraphQLSyntaxError) in try parser.namedType() }
    }
}

// MARK: - Types and their extensions

extension Parser {
    private static let extensionKeywords = ["schema", "scalar", "type", "interface", "union", "enum", "input"]

    /// Parses a type definition of any kind (§3.4), from its keyword on; `nil` if the token is another keyword.
    ///
    /// - Parameter start: The start of the description, of the keyword, or of `extend`.
    mutating func typeDefinition(
        _ description: StringValue?, from start: Int
    ) throws(GraphQLSyntaxError) -> TypeDefinition? {
        guard let kind = TypeDefinition.Kind(rawValue: text(of: token)) else { return nil }
        try advance()
        var type = TypeDefinition(kind, description: description, name: try name())
        if kind == .object || kind == .interface { type.interfaces = try interfaces() }
        type.directives = try directives(constant: true)
        switch kind {
        case .scalar: break
        case .object, .interface: type.fields = try fieldDefinitions()
        case .union: type.members = try unionMembers()
        case .enum: type.enumValues = try enumValueDefinitions()
        case .inputObject: type.inputFields = try inputFieldDefinitions()
        }
        type.span = span(from: start)
        return type
    }

    /// Parses a TypeSystemExtension (§3.1), from `extend` on. If an extension adds nothing, the token after it is reported as
    /// an error.
    mutating func typeSystemExtension() throws(GraphQLSyntaxError) -> Document.Definition {
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

    private mutating func schemaExtension(from start: Int) throws(GraphQLSyntaxError) -> SchemaDefinition {
        try advance()
        let directives = try directives(constant: true)
        let operationTypes = try rootOperationTypes()
        guard !directives.isEmpty || !operationTypes.isEmpty else { throw expected("a directive or \"{\"") }
        return SchemaDefinition(directives: directives, operationTypes: operationTypes, span: span(from: start))
    }
}

extension TypeDefinition {
    /// Whether the definition has nothing after its name.
    fileprivate var isEmpty: Bool {
        directives.isEmpty && interfaces.isEmpty && fields.isEmpty && members.isEmpty && enumValues.isEmpty
            && inputFields.isEmpty
    }

    /// The parts that can follow the name.
    fileprivate var possibleAdditions: String {
        switch kind {
        case .scalar: "a directive"
        case .object, .interface: "\"implements\", a directive or \"{\""
        case .union: "a directive or \"=\""
        case .enum, .inputObject: "a directive or \"{\""
        }
    }
}
