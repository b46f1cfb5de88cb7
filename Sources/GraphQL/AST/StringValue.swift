/// StringValue (October 2021 §2.9.4): a text. Escapes and the indentation of block strings are already resolved.
public struct StringValue: Sendable, Hashable {
    /// The text of the string.
    public var value: String
    /// Whether the string is written between triple quotes.
    public var isBlock: Bool
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(value: String, isBlock: Bool = false, span: SourceSpan = .none) {
        self.value = value
        self.isBlock = isBlock
        self.span = span
    }
}

extension StringValue {
    /// Whether the nodes are equal. Texts are compared byte by byte.
    public static func == (left: StringValue, right: StringValue) -> Bool {
        left.value.isExactly(right.value) && left.isBlock == right.isBlock && left.span == right.span
    }

    /// Hashes the text by its bytes.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(value))
        hasher.combine(isBlock)
        hasher.combine(span)
    }
}
