/// Directive (October 2021 §2.12): `@name(arguments)`.
public struct Directive: Sendable, Hashable {
    /// The name after the `@`.
    public var name: Name
    /// The arguments, in order.
    public var arguments: [Argument]
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(name: Name, arguments: [Argument] = [], span: SourceSpan = .none) {
        self.name = name
        self.arguments = arguments
        self.span = span
    }
}

extension [Directive] {
    /// The first directive with this name.
    public func first(named name: String) -> Directive? { first { $0.name.value == name } }

    /// All directives with this name, in order. A repeatable directive may occur several times.
    public func all(named name: String) -> [Directive] { filter { $0.name.value == name } }
}

/// Argument (October 2021 §2.6): `name: value`.
public struct Argument: Sendable, Hashable {
    /// The name.
    public var name: Name
    /// The value.
    public var value: Value
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(name: Name, value: Value, span: SourceSpan = .none) {
        self.name = name
        self.value = value
        self.span = span
    }
}

extension [Argument] {
    /// The first argument with this name.
    public func first(named name: String) -> Argument? { first { $0.name.value == name } }

    /// The value of the first argument with this name.
    public subscript(name: String) -> Value? { first(named: name)?.value }
}
