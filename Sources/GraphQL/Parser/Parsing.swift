extension Document {
    /// Parses a schema or an executable document. Throws at the first error.
    ///
    /// The grammar is that of October 2021, with some additions. Descriptions before operations, fragments and variables, and
    /// the escape `\u{…}`, come from September 2025. Characters beyond U+FFFF are allowed wherever text is allowed.
    public init(parsing source: String, limits: GraphQLLimits = .standard) throws(GraphQLSyntaxError) {
        guard source.utf8.count <= limits.documentBytes else { throw Parser.tooLong(limits) }
        try self.init(parsing: Array(source.utf8), limits: limits)
    }

    /// Parses UTF-8 bytes, and validates them. Throws at the first error.
    public init(parsing source: [UInt8], limits: GraphQLLimits = .standard) throws(GraphQLSyntaxError) {
        var parser = try Parser(source, limits: limits)
        self = try parser.document()
    }
}

extension Value {
    /// Parses one constant value, such as a default value from an introspection response.
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
