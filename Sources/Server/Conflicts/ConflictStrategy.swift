/// A conflict strategy: it decides a change whose version is not the version of the stored record.
package enum ConflictStrategy: Sendable {
    /// An update is merged field by field. A deletion is refused.
    case autoMerge
    /// The change is refused. The client gets the stored record with the error.
    case optimistic
    /// A change without a version is never a conflict: it is made to any version. A change with an old version is refused, as
    /// with `optimistic`. A client that does not select `_deleted` sees no deleted records.
    case unconditional
    /// A handler decides.
    case custom(ConflictHandler)
}

/// A conflict handler: it decides a conflict. The service calls the handler outside of all transactions, and calls it again if
/// the record has changed in the meantime. If the handler throws, returns an unusable verdict, or takes too long, the change is
/// refused.
package typealias ConflictHandler = @Sendable (ConflictCase) async throws -> ConflictVerdict
