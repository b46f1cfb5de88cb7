/// How a field of a record leads to other records.
package struct RelationField: Sendable, Hashable {
    /// The name of the field.
    package let name: String
    /// The name of the model that it leads to; for many to many, of the one that joins both.
    package let target: String
    /// How the records are found.
    package let kind: Kind

    package enum Kind: Sendable, Hashable {
        /// One record: these fields hold its key.
        case key([String])
        /// One record: the first under these fields' values in an index of the target.
        case index(String, [String])
        /// A connection.
        case connection(ConnectionField)
    }
}

/// A field with a page of related records: `filter`, `sortDirection`, `limit`, `nextToken`, and perhaps a condition.
package struct ConnectionField: Sendable, Hashable {
    /// The index of the target by which they are found, `nil` for its primary key.
    package let index: String?
    /// The fields that hold what the first fields of the index or key must be.
    package let fields: [String]
    /// The condition on the fields of the index or key that follow.
    package let sort: SortArgument?
    /// How many records a page has if the query names no number.
    package let limit: Int
}
