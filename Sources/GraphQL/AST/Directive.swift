/// Directive (October 2021 §2.12): `@name(arguments)`.
public struct Directive: Sendable, Hashable {
    /// The name behind the `@`.
    public var name: Name
    /// The arguments, in order.
    public var arguments: [Argument]
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
    public init(name: Name, arguments: [Argument] = [], span: SourceSpan = .none) {
        self.name = name
        self.arguments = arguments
        self.span = span
    }
}

/// Argument (October 2021 §2.6): `name: value`.
public struct Argument: Sendable, Hashable {
    /// Its name.
    public var name: Name
    /// Its value.
    public var value: Value
    /// The bytes it was parsed from.
    public var span: SourceSpan

    /// Makes a node by hand.
    public init(name: Name, value: Value, span: SourceSpan = .none) {
        self.name = name
        self.value = value
        self.span = span
    }
}

extension [Directive] {
    /// The first directive of that name.
    public func first(named name: String) -> Directive? { first { $0.name.value == name } }

    /// All directives of that name, in order; repeatable directives may have several.
    public func all(named name: String) -> [Directive] { filter { $0.name.value == name } }
}

extension [Argument] {
    /// The first argument of that name.
    public func first(named name: String) -> Argument? { first { $0.name.value == name } }

    /// The value of the first argument of that name.
    public subscript(name: String) -> Value? { first(named: name)?.value }
}
