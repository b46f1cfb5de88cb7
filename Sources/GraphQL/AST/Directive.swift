/// Directive (October 2021 §2.12): `@name(arguments)`.
package struct Directive: Sendable, Hashable {
    /// The name after the `@`.
    package var name: Name
    /// The arguments, in order.
    package var arguments: [Argument]
    /// The source bytes of the node.
    package var span: SourceSpan

    /// Makes a node in code, without parsing.
    package init(name: Name, arguments: [Argument] = [], span: SourceSpan = .none) {
        self.name = name
        self.arguments = arguments
        self.span = span
    }
}

/// Argument (October 2021 §2.6): `name: value`.
package struct Argument: Sendable, Hashable {
    /// The name.
    package var name: Name
    /// The value.
    package var value: Value
    /// The source bytes of the node.
    package var span: SourceSpan

    /// Makes a node in code, without parsing.
    package init(name: Name, value: Value, span: SourceSpan = .none) {
        self.name = name
        self.value = value
        self.span = span
    }
}

extension [Directive] {
    /// The first directive with this name.
    package func first(named name: String) -> Directive? { first { $0.name.value == name } }

    /// All directives with this name, in order. A repeatable directive may occur several times.
    package func all(named name: String) -> [Directive] { filter { $0.name.value == name } }
}

extension [Argument] {
    /// The first argument with this name.
    package func first(named name: String) -> Argument? { first { $0.name.value == name } }

    /// The value of the first argument with this name.
    package subscript(name: String) -> Value? { first(named: name)?.value }
}
