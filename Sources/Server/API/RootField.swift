/// A root field: a field of Query, Mutation or Subscription.
package struct RootField: Sendable, Hashable {
    /// The name of the field.
    package let name: String
    /// The name of the model whose records the field returns.
    package let model: String
    /// The kind of operation.
    package let kind: Kind

    /// A kind of root field. Arguments that are not mentioned here are the same for every field of the kind.
    package enum Kind: Sendable, Hashable {
        /// A query for one record by its key. It has an argument for each key field.
        case get
        /// A query for a page of records, with `filter`, `limit` and `nextToken`. If the schema declares a key, the query also
        /// has arguments for the key fields.
        case list(KeyArguments?)
        /// A query for a page of changed records, with `filter`, `limit`, `nextToken` and `lastSync`.
        case sync
        /// A query for a page of records by an index. Its arguments are the fields of the index and the arguments of a list.
        case index(KeyArguments)
        /// A mutation, with `input` and `condition`.
        case mutation(Mutation)
        /// A subscription: one message for each matching change. Its arguments are `filter` and those in
        /// ``RootField.SubscriptionArguments``.
        case subscription(SubscriptionArguments)
    }

    /// The arguments of a subscription.
    package struct SubscriptionArguments: Sendable, Hashable {
        /// The mutations whose results the subscription sends.
        package let mutations: [Mutation]
        /// Whether the subscription has the argument `filter`.
        package let takesFilter: Bool
        /// The arguments with names of fields. The record must have the given values.
        package let fields: [String]
        /// The arguments for owners, a part of all arguments. Their value must be the caller's name.
        package let ownerFields: [String]
        /// Whether the rules of the model apply. They do not apply if the model's subscriptions are public.
        package let isAuthorized: Bool
    }

    /// An argument with a condition on the sort fields of a key.
    package struct SortArgument: Sendable, Hashable {
        /// The name of the argument.
        package let name: String
        /// The sort fields, in order. A condition on one field compares values; a condition on several fields compares objects
        /// of values.
        package let fields: [String]
    }

    /// The arguments that find records by a key: the first field of the key, and a condition on its other fields.
    package struct KeyArguments: Sendable, Hashable {
        /// The name of the index, `nil` for the primary key.
        package let index: String?
        /// The first field of the key. The argument has the same name, and its value must be equal to the field's.
        package let partition: String
        /// The condition on the other fields; `nil` if there are none.
        package let sort: SortArgument?
    }
}

/// A kind of change to one record.
package enum Mutation: String, Sendable, Hashable, CaseIterable {
    case create, update, delete
}
