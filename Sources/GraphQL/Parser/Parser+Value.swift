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
            return .int(IntValue(text: text(of: consumed), span: consumed.span))
        case .float:
            let consumed = try advance()
            return .float(FloatValue(text: text(of: consumed), span: consumed.span))
        case .string, .blockString: return .string(try stringValue())
        case .name: return try namedValue()
        case .leftBracket: return .list(try listValue(constant: constant))
        case .leftBrace: return .object(try objectValue(constant: constant))
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
    mutating func variable() throws(GraphQLSyntaxError) -> Variable {
        let start = token.start
        try expect(.dollar)
        let name = try name("the name of a variable")
        return Variable(name: name, span: span(from: start))
    }

    /// Parses a BooleanValue, NullValue or EnumValue.
    private mutating func namedValue() throws(GraphQLSyntaxError) -> Value {
        let name = try name()
        switch name.value {
        case "true": return .boolean(BooleanValue(value: true, span: name.span))
        case "false": return .boolean(BooleanValue(value: false, span: name.span))
        case "null": return .null(NullValue(span: name.span))
        default: return .enum(EnumValue(name: name, span: name.span))
        }
    }

    private mutating func listValue(constant: Bool) throws(GraphQLSyntaxError) -> ListValue {
        let start = token.start
        try enter()
        try advance()
        var values: [Value] = []
        while try !skip(.rightBracket) { values.append(try value(constant: constant)) }
        leave()
        return ListValue(values: values, span: span(from: start))
    }

    private mutating func objectValue(constant: Bool) throws(GraphQLSyntaxError) -> ObjectValue {
        let start = token.start
        try enter()
        try advance()
        var fields: [ObjectField] = []
        while try !skip(.rightBrace) {
            let name = try name("the name of an object field")
            try expect(.colon)
            let value = try value(constant: constant)
            fields.append(ObjectField(name: name, value: value, span: span(from: name.span.start)))
        }
        leave()
        return ObjectValue(fields: fields, span: span(from: start))
    }
}
