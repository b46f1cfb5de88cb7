/// A field of a model with the Swift type of its values, for example `Post.keys.rating`.
@dynamicMemberLookup
public struct Field<Target: Model, Value: FieldConvertible>: PredicateField {
    /// The field's name in the schema.
    public let name: String

    /// The field called `name`.
    public init(_ name: String) { self.name = name }

    /// The condition that `comparison` holds for the field.
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
