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
        var selections: [Selection] = []
        repeat { selections.append(try selection()) } while try !skip(.rightBrace)
        leave()
        return SelectionSet(selections: selections, span: span(from: start))
    }

    private mutating func selection() throws(GraphQLSyntaxError) -> Selection {
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
    private mutating func spread() throws(GraphQLSyntaxError) -> Selection {
        let start = token.start
        try advance()
        if token.kind == .name, !isNext(keyword: "on") {
            let name = try name()
            let directives = try directives(constant: false)
            return .fragmentSpread(FragmentSpread(name: name, directives: directives, span: span(from: start)))
        }
        let typeCondition = try skip(keyword: "on") ? try namedType() : nil
        let directives = try directives(constant: false)
        if typeCondition == nil, directives.isEmpty, token.kind != .leftBrace {
            throw expected("the name of a fragment, \"on\" or \"{\"")
        }
        let selectionSet = try selectionSet()
        return .inlineFragment(
            InlineFragment(
                typeCondition: typeCondition, directives: directives, selectionSet: selectionSet,
                span: span(from: start)))
    }
}
