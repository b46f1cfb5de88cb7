/// What becomes of a change that was made from another version than the one that is stored.
package enum ConflictStrategy: Sendable {
    /// An update is merged field by field; a deletion is refused.
    case autoMerge
    /// It is refused, and its sender is given the stored record.
    case optimistic
    /// Someone else decides.
    case custom(ConflictHandler)
}

/// Decides what becomes of a conflict. It is asked outside of every transaction, and again if the record was changed
/// meanwhile. If it throws, answers nonsense or takes too long, the change is refused.
package typealias ConflictHandler = @Sendable (ConflictCase) async throws -> ConflictVerdict
