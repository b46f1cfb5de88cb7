import TidelogGraphQL

/// A text that shows everything in a node but its spans; two nodes equal but for spans have the same shape.
func shape(of node: Any) -> String {
    if node is SourceSpan { return "" }
    let mirror = Mirror(reflecting: node)
    guard !mirror.children.isEmpty else { return "\(node)" }
    let children = mirror.children.map { "\($0.label ?? ""):\(shape(of: $0.value))" }
    return "\(type(of: node))(\(children.joined(separator: ",")))"
}

/// What the parser says against a document, or nil if it has nothing against it.
func complaint(_ source: String, limits: GraphQLLimits = .standard) -> String? {
    complaint(Array(source.utf8), limits: limits)
}

func complaint(_ source: [UInt8], limits: GraphQLLimits = .standard) -> String? {
    parse(source, limits: limits).error?.description
}

/// The document, or else what is wrong with it.
func parse(
    _ source: [UInt8], limits: GraphQLLimits = .standard
) -> (document: Document?, error: GraphQLSyntaxError?) {
    do {
        return (try Document(parsing: source, limits: limits), nil)
    } catch {
        return (nil, error)
    }
}

/// Whether printing a document and parsing the text gives the document again, and printing that the same text.
func survivesPrinting(_ document: Document) throws -> Bool {
    let text = document.printed()
    let again = try Document(parsing: text)
    return shape(of: again) == shape(of: document) && again.printed() == text
}

extension Document {
    /// The only type definition of a document.
    func onlyType() -> TypeDefinition? { definitions.count == 1 ? typeDefinitions.first : nil }
}
