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
