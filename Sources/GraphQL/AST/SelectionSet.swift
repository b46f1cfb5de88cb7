/// SelectionSet (October 2021 §2.4): `{ … }` around at least one selection.
public struct SelectionSet: Sendable, Hashable {
    /// The selections, in order.
    public var selections: [Selection]
    /// The source bytes of the node.
    public var span: SourceSpan = .none

    /// Selection (October 2021 §2.4).
    public enum Selection: Sendable, Hashable {
        /// A field.
        case field(Field)
        /// `...Name`.
        case fragmentSpread(FragmentSpread)
        /// `... on Type { … }`.
        case inlineFragment(InlineFragment)

        /// The source bytes of the node.
        public var span: SourceSpan {
            switch self {
            case .field(let selection): selection.span
            case .fragmentSpread(let selection): selection.span
            case .inlineFragment(let selection): selection.span
            }
        }
    }

    /// FragmentSpread (October 2021 §2.8): `...name @directives`.
    public struct FragmentSpread: Sendable, Hashable {
        /// The name of the fragment, which is never `on`.
        public var name: Name
        /// The directives, in order.
        public var directives: [Directive]
        /// The source bytes of the node.
        public var span: SourceSpan
    }

    /// InlineFragment (October 2021 §2.8.2): `... on Type @directives { … }`.
    public struct InlineFragment: Sendable, Hashable {
        /// The type after `on`.
        public var typeCondition: Name?
        /// The directives, in order.
        public var directives: [Directive]
        /// The selected fields and fragments.
        public var selectionSet: SelectionSet
        /// The source bytes of the node.
        public var span: SourceSpan
    }
}
