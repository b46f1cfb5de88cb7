/// A relation of a model that the compiler knows the other side of: `Comment.keys.post`.
///
/// ```swift
/// try await store.query(Comment.self, where: Comment.keys.post.title == "x", including: Comment.keys.post)
/// ```
@dynamicMemberLookup
public struct Relation<Owner: Model, Target: Model>: Sendable {
    // Named so that no field of the other model is likely to be called the same: `Comment.keys.post.name` is a field.
    package let relationName: String
    let assign: @Sendable (inout Owner, LazyRelation<Target>) -> Void

    /// The relation called `name` in the schema.
    ///
    /// - Parameter store: Puts what was loaded into a value of the owner.
    public init(_ name: String, _ store: @escaping @Sendable (inout Owner, LazyRelation<Target>) -> Void) {
        relationName = name
        assign = store
    }

    /// A field of the related record, for predicates.
    public subscript<Value>(dynamicMember path: KeyPath<Target.Keys, Field<Target, Value>>) -> FieldPath<
        Owner, Value
    > {
        FieldPath([relationName, Target.keys[keyPath: path].name])
    }

    /// The related record, or if there are several one of them, satisfies `predicate`.
    public func any(_ predicate: ModelPredicate<Target>) -> ModelPredicate<Owner> {
        ModelPredicate(.related(relationName, predicate.queryPredicate))
    }

    /// There is a related record.
    public func exists(_ exists: Bool = true) -> ModelPredicate<Owner> {
        ModelPredicate(exists ? .related(relationName, .all) : .not(.related(relationName, .all)))
    }
}
