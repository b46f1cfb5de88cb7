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
    mutating func rootOperationTypes() throws(GraphQLSyntaxError) -> [RootOperationTypeDefinition] {
        try optionalList(.leftBrace, .rightBrace, "an operation type") {
            parser throws(GraphQLSyntaxError) in
            let start = parser.token.start
            let operation = try parser.operationType()
            try parser.expect(.colon)
            let type = try parser.namedType()
            return RootOperationTypeDefinition(operation: operation, type: type, span: parser.span(from: start))
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

    private mutating func directiveLocation() throws(GraphQLSyntaxError) -> DirectiveLocation {
        guard token.kind == .name, let location = DirectiveLocation(rawValue: text(of: token)) else {
            throw expected("a directive location", among: DirectiveLocation.allCases.map(\.rawValue))
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
    mutating func interfaces() throws(GraphQLSyntaxError) -> [NamedType] {
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
    mutating func unionMembers() throws(GraphQLSyntaxError) -> [NamedType] {
        guard try skip(.equals) else { return [] }
        return try separated(by: .pipe) { parser throws(GraphQLSyntaxError) in try parser.namedType() }
    }
}
