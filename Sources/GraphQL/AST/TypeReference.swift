/// Type (October 2021 §2.11): a reference to a type. It is a name, or a list wrapper or non-null wrapper around another
/// reference.
public indirect enum TypeReference: Sendable, Hashable {
    /// `Name`.
    case named(NamedType)
    /// `[Type]`.
    case list(ListType)
    /// `Type!`. The inner type is not itself non-null.
    case nonNull(NonNullType)

    /// The source bytes of the node.
    public var span: SourceSpan {
        switch self {
        case .named(let type): type.span
        case .list(let type): type.span
        case .nonNull(let type): type.span
        }
    }

    /// The name inside all wrappers.
    public var innermost: NamedType {
        switch self {
        case .named(let type): type
        case .list(let type): type.element.innermost
        case .nonNull(let type): type.nullable.innermost
        }
    }

    /// Whether the outermost wrapper is non-null.
    public var isNonNull: Bool {
        if case .nonNull = self { true } else { false }
    }

    /// The type without an outermost non-null wrapper.
    public var nullable: TypeReference {
        if case .nonNull(let type) = self { type.nullable } else { self }
    }

    /// The element type of a list, whether or not the list is non-null; `nil` for other types.
    public var listElement: TypeReference? {
        if case .list(let type) = nullable { type.element } else { nil }
    }
}

/// NamedType: a type by its name.
public struct NamedType: Sendable, Hashable {
    /// The name of the type.
    public var name: Name
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(name: Name, span: SourceSpan = .none) {
        self.name = name
        self.span = span
    }
}

/// ListType: `[element]`.
public struct ListType: Sendable, Hashable {
    /// The type of every element.
    public var element: TypeReference
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(element: TypeReference, span: SourceSpan = .none) {
        self.element = element
        self.span = span
    }
}

/// NonNullType: `nullable!`.
public struct NonNullType: Sendable, Hashable {
    /// The type without its exclamation mark.
    public var nullable: TypeReference
    /// The source bytes of the node.
    public var span: SourceSpan

    /// Makes a node in code, without parsing.
    public init(nullable: TypeReference, span: SourceSpan = .none) {
        self.nullable = nullable
        self.span = span
    }
}
