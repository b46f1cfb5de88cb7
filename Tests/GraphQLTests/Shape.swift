import TidelogGraphQL

/// A text with everything in a node except its spans. Two nodes that differ only in their spans have the same shape.
func shape(of node: Any) -> String {
    if node is SourceSpan { return "" }
    let mirror = Mirror(reflecting: node)
    guard !mirror.children.isEmpty else { return "\(node)" }
    let children = mirror.children.map { "\($0.label ?? ""):\(shape(of: $0.value))" }
    return "\(type(of: node))(\(children.joined(separator: ",")))"
}

/// The error that the parser finds in a document; `nil` if the document is valid.
func complaint(_ source: String, limits: GraphQLLimits = .standard) -> String? {
    complaint(Array(source.utf8), limits: limits)
}

func complaint(_ source: [UInt8], limits: GraphQLLimits = .standard) -> String? {
    parse(source, limits: limits).error?.description
}

/// The parsed document, or the error in it.
func parse(
    _ source: [UInt8], limits: GraphQLLimits = .standard
) -> (document: Document?, error: GraphQLSyntaxError?) {
    do {
        return (try Document(parsing: source, limits: limits), nil)
    } catch {
        return (nil, error)
    }
}

/// Whether a document that is printed and parsed again is the same, and is printed as the same text.
func survivesPrinting(_ document: Document) throws -> Bool {
    let text = document.printed()
    let again = try Document(parsing: text)
    return shape(of: again) == shape(of: document) && again.printed() == text
}

extension Document {
    /// The type definition of a document that has only one definition.
    func onlyType() -> TypeDefinition? { definitions.count == 1 ? typeDefinitions.first : nil }
}
