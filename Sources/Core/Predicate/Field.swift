/// A field of a model that the compiler knows the type of: `Post.keys.rating`.
@dynamicMemberLookup
public struct Field<Target: Model, Value: FieldConvertible>: PredicateField {
    /// The field's name in the schema.
    public let name: String

    /// The field called `name`.
    public init(_ name: String) { self.name = name }

    /// The field compares so.
    public func compared(_ comparison: QueryPredicate.Comparison) -> ModelPredicate<Target> {
        ModelPredicate(.field(name, comparison))
    }

    /// A field of the embedded value, for predicates: `Person.keys.address.city`.
    public subscript<Inner>(dynamicMember path: KeyPath<Value.Keys, EmbeddedField<Value, Inner>>) -> FieldPath<
        Target, Inner
    > where Value: Embedded {
        FieldPath([name, Value.keys[keyPath: path].name])
    }
}
