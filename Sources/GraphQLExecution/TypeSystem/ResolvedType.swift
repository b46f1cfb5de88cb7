/// A type reference whose named type is resolved (October 2021 §3.4): the number of the type in ``TypeSystem/types``, and its
/// wrappers.
package indirect enum ResolvedType: Sendable, Hashable {
    /// The named type with this number.
    case named(Int)
    /// A list type.
    case list(ResolvedType)
    /// A non-null type.
    case nonNull(ResolvedType)

    /// The number of the named type inside all wrappers.
    package var innermost: Int {
        switch self {
        case .named(let number): number
        case .list(let element): element.innermost
        case .nonNull(let nullable): nullable.innermost
        }
    }

    /// Whether null is not a value of the type.
    package var isNonNull: Bool {
        if case .nonNull = self { true } else { false }
    }

    /// The type without the outermost non-null wrapper.
    package var nullable: ResolvedType {
        if case .nonNull(let type) = self { type } else { self }
    }

    /// The element type, if this is a list or a non-null list; otherwise `nil`.
    package var listElement: ResolvedType? {
        if case .list(let element) = nullable { element } else { nil }
    }
}
