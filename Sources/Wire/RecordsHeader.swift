/// The header with which a server tells in each response how far clients can rely on its records.
package enum RecordsHeader {
    /// The name of the header.
    package static let name = "x-tidelog-records"
    /// The header's value if each query sees every earlier change, and if messages of subscriptions and responses to mutations
    /// have every field of a record. A field that the caller may not read has an error.
    package static let exact = "exact"
}
