/// The way to a field of a related record or of an embedded value, in a predicate: `Comment.keys.post.title`,
/// `Person.keys.address.city`.
///
/// If there is no related record or no embedded value, its fields are missing. If a relation leads to several records, one
/// that satisfies the comparison is enough; `a != b` is exactly `!(a == b)`, so with several it asks that none is equal.
@dynamicMemberLookup
public struct FieldPath<Owner: Model, Value: FieldConvertible>: PredicateField {
    private let names: [String]

    /// The way by `names`: relations or embedded values, then a field.
    init(_ names: [String]) { self.names = names }

    /// The field compares so.
    public func compared(_ comparison: QueryPredicate.Comparison) -> ModelPredicate<Owner> {
        ModelPredicate(.field(at: names, comparison))
    }

    /// A field of the embedded value, for predicates.
    public subscript<Inner>(dynamicMember path: KeyPath<Value.Keys, EmbeddedField<Value, Inner>>) -> FieldPath<
        Owner, Inner
    > where Value: Embedded {
        FieldPath<Owner, Inner>(names + [Value.keys[keyPath: path].name])
    }
}

extension QueryPredicate {
    /// What a comparison of the field at the end of `names` means: the ones that hold of a missing value are the opposites
    /// of those that do not, so that they also hold if there is no related record or embedded value.
    static func field(at names: [String], _ comparison: Comparison) -> QueryPredicate {
        guard let field = names.last, names.count > 1 else { return .field(names.first ?? "", comparison) }
        func inside(_ comparison: Comparison) -> QueryPredicate {
            names.dropLast().reversed().reduce(.field(field, comparison)) { .related($1, $0) }
        }
        return switch comparison {
        case .equal(nil): .not(inside(.notEqual(nil)))
        case .notEqual(let value?): .not(inside(.equal(value)))
        case .notContains(let value): .not(inside(.contains(value)))
        default: inside(comparison)
        }
    }
}
