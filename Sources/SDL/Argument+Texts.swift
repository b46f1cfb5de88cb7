internal import TidelogGraphQL

extension Argument {
    /// An argument with one text.
    static func text(_ name: String, _ text: String) -> Argument {
        Argument(name: Name(value: name), value: .string(StringValue(value: text)))
    }
}

extension [Argument] {
    /// An argument with a list of texts. No argument if there are no texts.
    static func texts(_ name: String, _ texts: [String]) -> [Argument] {
        guard !texts.isEmpty else { return [] }
        return [
            Argument(name: Name(value: name), value: .list(texts.map { .string(StringValue(value: $0)) }))
        ]
    }
}
