/// Name (October 2021 §2.1.9): letters, digits and underscores, not starting with a digit.
public struct Name: Sendable, Hashable {
    /// The text of the name.
    public var value: String
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(value: String, span: SourceSpan = .none) {
        self.value = value
        self.span = span
    }
}

extension Name: ExpressibleByStringLiteral {
    /// Makes a name in code, without parsing.
    public init(stringLiteral value: String) { self.init(value: value) }
}
