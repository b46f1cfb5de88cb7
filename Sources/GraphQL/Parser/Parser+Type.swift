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
            inner = .list(ListType(element: element, span: span(from: start)))
        } else {
            inner = .named(try namedType("a type"))
        }
        guard try skip(.bang) else { return inner }
        return .nonNull(NonNullType(nullable: inner, span: span(from: start)))
    }

    /// Parses a NamedType.
    mutating func namedType(
        _ expectation: String = "the name of a type"
    ) throws(GraphQLSyntaxError) -> NamedType {
        let name = try name(expectation)
        return NamedType(name: name, span: name.span)
    }
}
