/// A relation of a model, with the type of the other model: for example `Comment.keys.post`.
///
/// ```swift
/// try await store.fetch(Comment.where(Comment.keys.post.title == "x").including(Comment.keys.post))
/// ```
@dynamicMemberLookup
public struct Relation<Owner: Model, Target: Model>: Sendable {
    // This name is chosen so that a field of the other model rarely has the same name: `Comment.keys.post.name` is a field.
    package let relationName: String
    let assign: @Sendable (inout Owner, LazyRelation<Target>) -> Void

    /// The relation called `name` in the schema.
    ///
    /// - Parameter store: Stores the loaded records in a value of the owner.
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

    /// A query of the records to which this relation leads from `owner`. If it gets no other order, it has the order of the
    /// relation's index, and then of the key.
    ///
    /// ```swift
    /// let latest = try await store.fetch(Post.keys.comments.of(post).limit(20))
    /// ```
    ///
    /// Use it for values that were not read from a store, to observe the records, or to read them in a transaction. A value
    /// that was read from a store can follow its relations directly: `try await comment.post`.
    public func of(_ owner: Owner) -> Query<Target> {
        var query = Target.all
        query.origin = Query.Origin(relation: relationName, owner: AnyModel(owner))
        return query
    }

    /// The condition that the related record, or at least one of several related records, satisfies `predicate`.
    public func any(_ predicate: ModelPredicate<Target>) -> ModelPredicate<Owner> {
        ModelPredicate(.related(relationName, predicate.queryPredicate))
    }

    /// The condition that there is a related record, or that there is none.
    public func exists(_ exists: Bool = true) -> ModelPredicate<Owner> {
        ModelPredicate(exists ? .related(relationName, .all) : .not(.related(relationName, .all)))
    }
}
