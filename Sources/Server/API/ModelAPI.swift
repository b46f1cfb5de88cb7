/// The description of a model that a service needs in addition to the model's fields.
package struct ModelAPI: Sendable, Hashable {
    /// The name of the model.
    package let name: String
    /// The fields of the primary key, in order.
    package let key: [String]
    /// The field for the time of creation; `nil` if the server does not keep this time.
    package let createdAt: String?
    /// The field for the time of the last change; `nil` if the server does not keep this time.
    package let updatedAt: String?
    /// The relation fields, by name.
    package let relations: [String: RelationField]
    /// The access rules.
    package let rules: AccessRules
    /// The owner fields that rules name and the schema does not declare. They are texts, and no input has them.
    package let impliedOwnerFields: [String]
    /// The names of the model's mutations.
    package let mutations: [Mutation: String]
}
