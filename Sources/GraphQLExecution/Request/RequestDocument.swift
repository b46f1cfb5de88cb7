/// A parsed request document with its text, so that errors can have a line and a column.
package struct RequestDocument: Sendable {
    /// The bytes of the text.
    package let source: [UInt8]
    /// The parsed document. Every node has its span in the text.
    package let document: Document
    /// The fragments by name. If several have the same name, the last one counts.
    let fragments: [String: FragmentDefinition]
    private let lines: SourceLines

    /// Parses a text.
    package init(parsing source: [UInt8], limits: GraphQLLimits = .request) throws(GraphQLSyntaxError) {
        document = try Document(parsing: source, limits: limits)
        fragments = Dictionary(document.fragments.map { ($0.name.value, $0) }) { _, last in last }
        self.source = source
        lines = SourceLines(source)
    }

    /// Parses a text.
    package init(parsing source: String, limits: GraphQLLimits = .request) throws(GraphQLSyntaxError) {
        try self.init(parsing: Array(source.utf8), limits: limits)
    }

    /// The location of the start of a node.
    package func location(of span: SourceSpan) -> SourceLocation { lines.location(at: span.start, in: source) }
}
