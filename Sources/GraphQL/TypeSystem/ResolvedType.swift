/// A type as a place uses it (October 2021 §3.4): a named type, by its number in ``TypeSystem/types``, and what wraps it.
package indirect enum ResolvedType: Sendable, Hashable {
    /// The type with that number.
    case named(Int)
    /// A list.
    case list(ResolvedType)
    /// A type without null.
    case nonNull(ResolvedType)

    /// The number of the named type inside every list and non-null.
    package var innermost: Int {
        switch self {
        case .named(let number): number
        case .list(let element): element.innermost
        case .nonNull(let nullable): nullable.innermost
        }
    }

    /// Whether null is no value of it.
    package var isNonNull: Bool {
        if case .nonNull = self { true } else { false }
    }

    /// The type without the outermost non-null.
    package var nullable: ResolvedType {
        if case .nonNull(let type) = self { type } else { self }
    }

    /// The type of the elements, if this is a list or a non-null list.
    package var listElement: ResolvedType? {
        if case .list(let element) = nullable { element } else { nil }
    }
}
