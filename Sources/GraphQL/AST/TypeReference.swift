/// Type (October 2021 §2.11): a reference to a type. It is a name, or a list wrapper or non-null wrapper around another
/// reference.
public indirect enum TypeReference: Sendable, Hashable {
    /// NamedType: `Name`.
    case named(Name)
    /// ListType: `[Type]`.
    case list(TypeReference, span: SourceSpan = .none)
    /// NonNullType: `Type!`. The inner type is not itself non-null.
    case nonNull(TypeReference, span: SourceSpan = .none)

    /// The source bytes of the node.
    public var span: SourceSpan {
        switch self {
        case .named(let name): name.span
        case .list(_, let span), .nonNull(_, let span): span
        }
    }

    /// The name inside all wrappers.
    public var innermost: Name {
        switch self {
        case .named(let name): name
        case .list(let inner, _), .nonNull(let inner, _): inner.innermost
        }
    }

    /// Whether the outermost wrapper is non-null.
    public var isNonNull: Bool {
        if case .nonNull = self { true } else { false }
    }

    /// The type without an outermost non-null wrapper.
    public var nullable: TypeReference {
        if case .nonNull(let type, _) = self { type } else { self }
    }

    /// The element type of a list, whether or not the list is non-null; `nil` for other types.
    public var listElement: TypeReference? {
        if case .list(let element, _) = nullable { element } else { nil }
    }
}
