/// What a service has to know of a model, beside its fields.
package struct ModelAPI: Sendable, Hashable {
    /// The name of the model.
    package let name: String
    /// The fields of its key, in order.
    package let key: [String]
    /// The field that holds when a record was created, `nil` if a server keeps no such field.
    package let createdAt: String?
    /// The field that holds when a record was last changed, `nil` if a server keeps no such field.
    package let updatedAt: String?
    /// The fields that lead to other records, by name.
    package let relations: [String: RelationField]
    /// Who may do what.
    package let rules: AccessRules
    /// Fields for owners that the rules name and the schema does not declare: texts, which no input takes.
    package let impliedOwnerFields: [String]
    /// The names of the mutations that it has.
    package let mutations: [Mutation: String]
}
