/// Name (October 2021 §2.1.9): letters, digits and underscores, not starting with a digit.
package struct Name: Sendable, Hashable {
    /// The text of the name.
    package var value: String
    /// The source bytes of the node.
    package var span: SourceSpan

    /// Makes a node in code, without parsing.
    package init(value: String, span: SourceSpan = .none) {
        self.value = value
        self.span = span
    }
}

extension Name: ExpressibleByStringLiteral {
    /// Makes a name in code, without parsing.
    package init(stringLiteral value: String) { self.init(value: value) }
}
