/// A relation whose records are loaded with the records of a query.
struct Inclusion<Owner: Fetchable>: Sendable {
    /// The relation's name.
    let name: String
    /// Loads the related records.
    let load: @Sendable (inout EagerLoading<Owner>) throws -> Void

    init<Target>(_ relation: Relation<Owner, Target>) where Owner: Model {
        name = relation.relationName
        load = { try $0.load(relation) }
    }
}
