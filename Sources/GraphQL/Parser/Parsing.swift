extension Document {
    /// Parses a schema or an executable document; throws at its first error.
    ///
    /// The grammar is that of October 2021. Beyond it, descriptions in front of operations, fragments and variables and
    /// the escape `\u{…}` are taken from September 2025, and characters beyond U+FFFF are legal wherever text is.
    public init(parsing source: String, limits: GraphQLLimits = .standard) throws(GraphQLSyntaxError) {
        guard source.utf8.count <= limits.documentBytes else { throw Parser.tooLong(limits) }
        try self.init(parsing: Array(source.utf8), limits: limits)
    }

    /// Parses UTF-8 bytes, which are validated on the way; throws at the first error.
    public init(parsing source: [UInt8], limits: GraphQLLimits = .standard) throws(GraphQLSyntaxError) {
        var parser = try Parser(source, limits: limits)
        self = try parser.document()
    }
}

extension Value {
    /// Parses one constant value, such as a default value of an introspection answer.
    public init(parsing source: String, limits: GraphQLLimits = .standard) throws(GraphQLSyntaxError) {
        var parser = try Parser(Array(source.utf8), limits: limits)
        self = try parser.value(constant: true)
        try parser.end()
    }
}

extension TypeReference {
    /// Parses one type, such as `[ID!]!`.
    public init(parsing source: String, limits: GraphQLLimits = .standard) throws(GraphQLSyntaxError) {
        var parser = try Parser(Array(source.utf8), limits: limits)
        self = try parser.type()
        try parser.end()
    }
}
