/// A field of a related record or of an embedded value, in a predicate: for example `Comment.keys.post.title` or
/// `Person.keys.address.city`.
///
/// If there is no related record or embedded value, its fields count as missing. If a relation leads to several records, one
/// that satisfies the comparison is enough. `a != b` is always the same as `!(a == b)`, so with several records it requires
/// that no value is equal.
@dynamicMemberLookup
public struct FieldPath<Owner: Model, Value: FieldConvertible>: PredicateField {
    private let names: [String]

    /// The field at the end of `names`. All names before it are relations or embedded values.
    init(_ names: [String]) { self.names = names }

    /// The condition that `comparison` holds for the field.
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
    /// The predicate for a comparison of the field at the end of `names`.
    ///
    /// A comparison that holds for a missing value is written as the opposite of one that does not, so that it also holds if
    /// there is no related record or embedded value.
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
