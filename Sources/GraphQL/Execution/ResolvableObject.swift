/// An object that answers for its fields: a root of operations, or what another object's field gave.
package protocol ResolvableObject<Context>: Sendable {
    /// What every resolver of a request is told: who asks, and what it reads from.
    associatedtype Context: AnyObject & Sendable

    /// The name of its object type; asked only where the schema has an interface or a union.
    var typeName: String { get }

    /// The value of a field of a scalar or enum type, or of lists of one, if it is at hand; `nil` has
    /// ``resolve(_:in:)`` asked. An object that has many such fields answers sooner this way: no generic type is needed.
    func leaf(_ field: SelectedField) -> ResponseValue?

    /// The value of a field.
    ///
    /// Called once for each selection of the field, in the order of the document. What takes time is given as
    /// ``ResolvedValue/pending(_:)``. `field.declared.number` says which field of the type it is without comparing names.
    func resolve(_ field: SelectedField, in context: Context) throws(ResolverError) -> ResolvedValue<Context>
}

extension ResolvableObject {
    /// Has all fields resolved.
    package func leaf(_ field: SelectedField) -> ResponseValue? { nil }
}

/// What a resolver gives for a field or an element of a list.
package enum ResolvedValue<Context: AnyObject & Sendable>: Sendable {
    /// Null.
    case null
    /// A value of a scalar or enum type, or a list of them.
    case leaf(ResponseValue)
    /// An object.
    case object(any ResolvableObject<Context>)
    /// A list of any values.
    case list([ResolvedValue<Context>])
    /// No value, for a reason of its own; of a list's element, the others stay.
    case failure(ResolverError)
    /// A value that is not there yet. One is awaited after the other, in the order of the document.
    case pending(@Sendable () async throws(ResolverError) -> ResolvedValue<Context>)
}
