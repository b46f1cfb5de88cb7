/// A Swift type whose values are stored inside records and have fields of their own.
public protocol Embedded: FieldConvertible {
    /// The type of ``keys``, for predicates such as `Person.keys.address.city`. It is ``NoKeys`` unless the type declares one.
    associatedtype Keys: Sendable = NoKeys

    /// The type's fields.
    static var keys: Keys { get }
}

extension Embedded where Keys == NoKeys {
    /// No keys.
    public static var keys: NoKeys { NoKeys() }
}

/// A field of an embedded type with the Swift type of its values. The members of the type's `Keys` are such fields.
public struct EmbeddedField<Target: Embedded, Value: FieldConvertible>: Sendable {
    /// The field's name in the schema.
    public let name: String

    /// The field called `name`.
    public init(_ name: String) { self.name = name }
}
