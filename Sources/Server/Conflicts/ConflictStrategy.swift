/// A conflict strategy: it decides a change whose version is not the version of the stored record.
package enum ConflictStrategy: Sendable {
    /// An update is merged field by field. A deletion is refused.
    case autoMerge
    /// The change is refused. The client gets the stored record with the error.
    case optimistic
    /// A handler decides.
    case custom(ConflictHandler)
}

/// A conflict handler: it decides a conflict. The service calls the handler outside of all transactions, and calls it again if
/// the record has changed in the meantime. If the handler throws, returns an unusable verdict, or takes too long, the change is
/// refused.
package typealias ConflictHandler = @Sendable (ConflictCase) async throws -> ConflictVerdict
