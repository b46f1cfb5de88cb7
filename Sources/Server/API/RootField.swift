/// What a field of Query, Mutation or Subscription does.
package struct RootField: Sendable, Hashable {
    /// The name of the field.
    package let name: String
    /// The name of the model that it gives.
    package let model: String
    /// What it does.
    package let kind: Kind

    /// What a field may do. The arguments beyond those named here are the same for every field of the kind.
    package enum Kind: Sendable, Hashable {
        /// One record by its key: an argument for each key field.
        case get
        /// A page of records: `filter`, `limit`, `nextToken`; with a key of the schema's own also its fields.
        case list(KeyArguments?)
        /// A page of what changed: `filter`, `limit`, `nextToken`, `lastSync`.
        case sync
        /// A page of records by an index: its fields, then as a list.
        case index(KeyArguments)
        /// One of the mutations: `input`, `condition`.
        case mutation(Mutation)
        /// A message for each of some mutations: `filter`, and what ``SubscriptionArguments`` says.
        case subscription(SubscriptionArguments)
    }
}

/// A change of one record.
package enum Mutation: String, Sendable, Hashable, CaseIterable {
    case create, update, delete
}

/// The arguments by which records are found under a key: its first field, and a condition on those that follow.
package struct KeyArguments: Sendable, Hashable {
    /// The name of the index, `nil` for the primary key.
    package let index: String?
    /// The first field of the key; the argument has its name and takes the value that it must have.
    package let partition: String
    /// The condition on the other fields, if there are any.
    package let sort: SortArgument?
}

/// The argument with a condition on the sort fields of a key.
package struct SortArgument: Sendable, Hashable {
    /// The name of the argument.
    package let name: String
    /// The fields, in order. The condition on one compares values, that on several objects of values.
    package let fields: [String]
}

/// What a subscription listens to.
package struct SubscriptionArguments: Sendable, Hashable {
    /// The mutations whose results are sent.
    package let mutations: [Mutation]
    /// Whether it takes `filter`.
    package let takesFilter: Bool
    /// Arguments with the names of fields: the record must have the values that are given.
    package let fields: [String]
    /// Those of the arguments that hold the owner: what is given must be the caller.
    package let ownerFields: [String]
    /// Whether the rules of the model apply; they do not where its subscriptions are public.
    package let isAuthorized: Bool
}
