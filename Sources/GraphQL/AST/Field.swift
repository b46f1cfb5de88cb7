/// Field (October 2021 §2.5): `alias: name(arguments) @directives { … }`.
public struct Field: Sendable, Hashable {
    /// The name of the field in the response, if it differs from the field's name.
    public var alias: Name?
    /// The name of the field.
    public var name: Name
    /// The arguments, in order.
    public var arguments: [Argument] = []
    /// The directives, in order.
    public var directives: [Directive] = []
    /// The fields and fragments selected from the field's value.
    public var selectionSet: SelectionSet?
    /// The source bytes of the node.
    public var span: SourceSpan = .none
}

extension Field {
    /// The name of the field in the response: the alias, or the field's name if there is no alias.
    public var responseName: String { (alias ?? name).value }
}
