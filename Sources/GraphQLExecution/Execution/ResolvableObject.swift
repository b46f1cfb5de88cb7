/// An object that resolves its fields: a root object, or an object that another field returned.
package protocol ResolvableObject<Context>: Sendable {
    /// The context that all resolvers of a request share, for example the caller and the store.
    associatedtype Context: AnyObject & Sendable

    /// The name of the object type. It is only used if the schema has an interface or a union.
    var typeName: String { get }

    /// The value of a field with a scalar or enum type, or a list of one, if the value is available immediately. If the result
    /// is `nil`, ``resolve(_:in:)`` is called. An object with many such fields is faster with this method, because it uses no
    /// generic type.
    func leaf(_ field: SelectedField) -> ResponseValue?

    /// The value of a field.
    ///
    /// Called once for each selection of the field, in the order of the document. A value that takes time is returned as
    /// ``ResolvedValue/pending(_:)``. `field.declared.number` identifies the field of the type without comparing names.
    func resolve(_ field: SelectedField, in context: Context) throws(ResolverError) -> ResolvedValue<Context>
}

extension ResolvableObject {
    /// Returns `nil`, so that ``resolve(_:in:)`` resolves all fields.
    package func leaf(_ field: SelectedField) -> ResponseValue? { nil }
}

/// The value that a resolver returns for a field or a list element.
package enum ResolvedValue<Context: AnyObject & Sendable>: Sendable {
    /// Null.
    case null
    /// A value of a scalar or enum type, or a list of them.
    case leaf(ResponseValue)
    /// An object.
    case object(any ResolvableObject<Context>)
    /// A list of any values.
    case list([ResolvedValue<Context>])
    /// No value because of an error. If the failure is a list element, the other elements are kept.
    case failure(ResolverError)
    /// A value that is not available yet. Pending values are awaited one after another, in the order of the document.
    case pending(@Sendable () async throws(ResolverError) -> ResolvedValue<Context>)
}
