/// A Swift type whose values are stored inside records, with fields of its own.
public protocol Embedded: FieldConvertible {
    /// The type's fields, for predicates: `Person.keys.address.city`. ``NoKeys`` unless it is declared.
    associatedtype Keys: Sendable = NoKeys

    /// The type's fields.
    static var keys: Keys { get }
}

extension Embedded where Keys == NoKeys {
    /// No keys.
    public static var keys: NoKeys { NoKeys() }
}

/// A field of an embedded type that the compiler knows the type of: a member of the type's `Keys`.
public struct EmbeddedField<Target: Embedded, Value: FieldConvertible>: Sendable {
    /// The field's name in the schema.
    public let name: String

    /// The field called `name`.
    public init(_ name: String) { self.name = name }
}
