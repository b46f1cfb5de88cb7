extension Parser {
    static let definitionKeywords = [
        "query", "mutation", "subscription", "fragment", "schema", "scalar", "type", "interface", "union", "enum",
        "input", "directive", "extend",
    ]

    /// Parses a document (§2.2): definitions up to the end of the text.
    mutating func document() throws(GraphQLSyntaxError) -> Document {
        var definitions: [Definition] = []
        repeat { definitions.append(try definition()) } while token.kind != .endOfDocument
        return Document(definitions: definitions, span: SourceSpan(start: 0, end: lexer.bytes.count))
    }

    /// Checks that the text ends here, for a text that contains only one node.
    mutating func end() throws(GraphQLSyntaxError) {
        guard token.kind == .endOfDocument else { throw expected("the end of the document") }
    }

    /// Parses a description (§3.2.1), if there is one.
    mutating func description() throws(GraphQLSyntaxError) -> StringValue? {
        token.kind == .string || token.kind == .blockString ? try stringValue() : nil
    }

    /// Parses a definition.
    private mutating func definition() throws(GraphQLSyntaxError) -> Definition {
        let start = token.start
        if token.kind == .leftBrace { return .operation(try shorthand()) }
        let description = try description()
        guard token.kind == .name else {
            throw expected(description == nil ? "a definition" : "a definition to describe")
        }
        switch text(of: token) {
        case "query", "mutation", "subscription": return .operation(try operation(description, from: start))
        case "fragment": return .fragment(try fragment(description, from: start))
        case "schema": return .schema(try schema(description, from: start))
        case "directive": return .directive(try directiveDefinition(description, from: start))
        case "extend":
            guard description == nil else {
                throw expected("a definition to describe", "an extension takes no description")
            }
            return try typeSystemExtension()
        default:
            guard let type = try typeDefinition(description, from: start) else {
                throw expected("a definition", among: Parser.definitionKeywords)
            }
            return .type(type)
        }
    }
}
