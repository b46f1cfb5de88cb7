extension Parser {
    /// Parses `{ … }` as a complete operation.
    mutating func shorthand() throws(GraphQLSyntaxError) -> OperationDefinition {
        let selectionSet = try selectionSet()
        return OperationDefinition(operation: .query, selectionSet: selectionSet, span: selectionSet.span)
    }

    /// Parses an OperationDefinition (§2.3), from its keyword on.
    mutating func operation(
        _ description: StringValue?, from start: Int
    ) throws(GraphQLSyntaxError) -> OperationDefinition {
        let operation = try operationType()
        let name = token.kind == .name ? try name() : nil
        let variables = try optionalList(.leftParenthesis, .rightParenthesis, "a variable") {
            parser throws(GraphQLSyntaxError) in try parser.variableDefinition()
        }
        let directives = try directives(constant: false)
        let selectionSet = try selectionSet()
        return OperationDefinition(
            description: description, operation: operation, name: name, variables: variables, directives: directives,
            selectionSet: selectionSet, span: span(from: start))
    }

    /// Parses an OperationType.
    mutating func operationType() throws(GraphQLSyntaxError) -> OperationType {
        guard token.kind == .name, let operation = OperationType(rawValue: text(of: token)) else {
            throw expected("an operation type", among: OperationType.allCases.map(\.rawValue))
        }
        try advance()
        return operation
    }

    /// Parses a VariableDefinition (§2.10).
    private mutating func variableDefinition() throws(GraphQLSyntaxError) -> VariableDefinition {
        let start = token.start
        let description = try description()
        guard token.kind == .dollar else { throw expected("a variable") }
        let variable = try variable()
        try expect(.colon)
        let type = try type()
        let defaultValue = try skip(.equals) ? try value(constant: true) : nil
        let directives = try directives(constant: true)
        return VariableDefinition(
            description: description, variable: variable, type: type, defaultValue: defaultValue,
            directives: directives, span: span(from: start))
    }

    /// Parses a FragmentDefinition (§2.8), from its keyword on.
    mutating func fragment(
        _ description: StringValue?, from start: Int
    ) throws(GraphQLSyntaxError) -> FragmentDefinition {
        try advance()
        guard !isNext(keyword: "on") else { throw expected("the name of a fragment") }
        let name = try name("the name of a fragment")
        guard try skip(keyword: "on") else { throw expected("\"on\"") }
        let typeCondition = try namedType()
        let directives = try directives(constant: false)
        let selectionSet = try selectionSet()
        return FragmentDefinition(
            description: description, name: name, typeCondition: typeCondition, directives: directives,
            selectionSet: selectionSet, span: span(from: start))
    }

    /// Parses a SelectionSet (§2.4).
    private mutating func selectionSet() throws(GraphQLSyntaxError) -> SelectionSet {
        let start = token.start
        guard token.kind == .leftBrace else { throw expected("\"{\"") }
        try enter()
        try advance()
        var selections: [SelectionSet.Selection] = []
        repeat { selections.append(try selection()) } while try !skip(.rightBrace)
        leave()
        return SelectionSet(selections: selections, span: span(from: start))
    }

    private mutating func selection() throws(GraphQLSyntaxError) -> SelectionSet.Selection {
        guard token.kind != .spread else { return try spread() }
        return .field(try field())
    }

    /// Parses a Field (§2.5).
    private mutating func field() throws(GraphQLSyntaxError) -> Field {
        let start = token.start
        var name = try name("a field or a fragment")
        var alias: Name?
        if try skip(.colon) {
            alias = name
            name = try self.name("the name of a field")
        }
        let arguments = try arguments(constant: false)
        let directives = try directives(constant: false)
        let selectionSet = token.kind == .leftBrace ? try selectionSet() : nil
        return Field(
            alias: alias, name: name, arguments: arguments, directives: directives, selectionSet: selectionSet,
            span: span(from: start))
    }

    /// Parses a FragmentSpread or InlineFragment (§2.8), from the dots on.
    private mutating func spread() throws(GraphQLSyntaxError) -> SelectionSet.Selection {
        let start = token.start
        try advance()
        if token.kind == .name, !isNext(keyword: "on") {
            let name = try name()
            let directives = try directives(constant: false)
            return .fragmentSpread(
                SelectionSet.FragmentSpread(name: name, directives: directives, span: span(from: start)))
        }
        let typeCondition = try skip(keyword: "on") ? try namedType() : nil
        let directives = try directives(constant: false)
        if typeCondition == nil, directives.isEmpty, token.kind != .leftBrace {
            throw expected("the name of a fragment, \"on\" or \"{\"")
        }
        let selectionSet = try selectionSet()
        return .inlineFragment(
            SelectionSet.InlineFragment(
                typeCondition: typeCondition, directives: directives, selectionSet: selectionSet,
                span: span(from: start)))
    }
}

// MARK: - Values

extension Parser {
    /// Parses a Name (§2.1.9).
    mutating func name(_ expectation: String = "a name") throws(GraphQLSyntaxError) -> Name {
        guard token.kind == .name else { throw expected(expectation) }
        let consumed = try advance()
        return Name(value: text(of: consumed), span: consumed.span)
    }

    /// Parses a Value (§2.9). If `constant`, the value must not contain a variable at any depth.
    mutating func value(constant: Bool) throws(GraphQLSyntaxError) -> Value {
        switch token.kind {
        case .dollar:
            guard !constant else { throw expected("a constant value", "variables have no value here") }
            return .variable(try variable())
        case .int:
            let consumed = try advance()
            return .int(text(of: consumed), span: consumed.span)
        case .float:
            let consumed = try advance()
            return .float(text(of: consumed), span: consumed.span)
        case .string, .blockString: return .string(try stringValue())
        case .name: return try namedValue()
        case .leftBracket: return try listValue(constant: constant)
        case .leftBrace: return try objectValue(constant: constant)
        default: throw expected("a value")
        }
    }

    /// Parses a StringValue (§2.9.4).
    mutating func stringValue() throws(GraphQLSyntaxError) -> StringValue {
        assert(token.kind == .string || token.kind == .blockString, "not at a string")
        // The string is decoded before the next token is read, so that errors occur in the order of the text.
        let text = try lexer.stringValue(of: token)
        let consumed = try advance()
        return StringValue(value: text, isBlock: consumed.kind == .blockString, span: consumed.span)
    }

    /// Parses a Variable (§2.10).
    mutating func variable() throws(GraphQLSyntaxError) -> Value.Variable {
        let start = token.start
        try expect(.dollar)
        let name = try name("the name of a variable")
        return Value.Variable(name: name, span: span(from: start))
    }

    /// Parses a BooleanValue, NullValue or EnumValue.
    private mutating func namedValue() throws(GraphQLSyntaxError) -> Value {
        let name = try name()
        switch name.value {
        case "true": return .boolean(true, span: name.span)
        case "false": return .boolean(false, span: name.span)
        case "null": return .null(span: name.span)
        default: return .enum(name)
        }
    }

    private mutating func listValue(constant: Bool) throws(GraphQLSyntaxError) -> Value {
        let start = token.start
        try enter()
        try advance()
        var values: [Value] = []
        while try !skip(.rightBracket) { values.append(try value(constant: constant)) }
        leave()
        return .list(values, span: span(from: start))
    }

    private mutating func objectValue(constant: Bool) throws(GraphQLSyntaxError) -> Value {
        let start = token.start
        try enter()
        try advance()
        var fields: [Value.ObjectField] = []
        while try !skip(.rightBrace) {
            let name = try name("the name of an object field")
            try expect(.colon)
            let value = try value(constant: constant)
            fields.append(Value.ObjectField(name: name, value: value, span: span(from: name.span.start)))
        }
        leave()
        return .object(fields, span: span(from: start))
    }
}

// MARK: - Types

extension Parser {
    /// Parses a Type (§2.11).
    mutating func type() throws(GraphQLSyntaxError) -> TypeReference {
        let start = token.start
        let inner: TypeReference
        if token.kind == .leftBracket {
            try enter()
            try advance()
            let element = try type()
            try expect(.rightBracket)
            leave()
            inner = .list(element, span: span(from: start))
        } else {
            inner = .named(try namedType("a type"))
        }
        guard try skip(.bang) else { return inner }
        return .nonNull(inner, span: span(from: start))
    }

    /// Parses a NamedType.
    mutating func namedType(_ expectation: String = "the name of a type") throws(GraphQLSyntaxError) -> Name {
        try name(expectation)
    }
}

// MARK: - Directives and arguments

extension Parser {
    /// Parses directives (§2.12). There may be none.
    mutating func directives(constant: Bool) throws(GraphQLSyntaxError) -> [Directive] {
        var directives: [Directive] = []
        while token.kind == .at {
            let start = token.start
            try advance()
            let name = try name("the name of a directive")
            let arguments = try arguments(constant: constant)
            directives.append(Directive(name: name, arguments: arguments, span: span(from: start)))
        }
        return directives
    }

    /// Parses arguments (§2.6). There may be none.
    mutating func arguments(constant: Bool) throws(GraphQLSyntaxError) -> [Argument] {
        try optionalList(.leftParenthesis, .rightParenthesis, "the name of an argument") {
            parser throws(GraphQLSyntaxError) in
            let name = try parser.name("the name of an argument")
            try parser.expect(.colon)
            let value = try parser.value(constant: constant)
            return Argument(name: name, value: value, span: parser.span(from: name.span.start))
        }
    }
}
