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

    /// A relation field: a field of a record that returns other records.
    package struct RelationField: Sendable, Hashable {
        /// The name of the field.
        package let name: String
        /// The name of the target model. For many-to-many relations, this is the join model.
        package let target: String
        /// How a service finds the related records.
        package let kind: Kind

        package enum Kind: Sendable, Hashable {
            /// One record, whose key is in these fields.
            case key([String])
            /// One record: the first one that an index of the target finds by the values of these fields.
            case index(String, [String])
            /// A connection.
            case connection(Connection)
        }
    }
}

extension ModelAPI.RelationField {
    /// A connection field: it returns a page of related records. Its arguments are `filter`, `sortDirection`, `limit`,
    /// `nextToken`, and, for some fields, a condition on sort fields.
    package struct Connection: Sendable, Hashable {
        /// The index of the target that finds the records; `nil` for the target's primary key.
        package let index: String?
        /// The fields of this record whose values must equal the first fields of the index or key.
        package let fields: [String]
        /// The condition on the further fields of the index or key.
        package let sort: RootField.SortArgument?
        /// The number of records in a page if the query gives no limit.
        package let limit: Int
    }
}
