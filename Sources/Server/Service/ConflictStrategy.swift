/// What becomes of a change that was made from another version than the one that is stored.
package enum ConflictStrategy: Sendable, Hashable {
    /// An update is merged field by field; a deletion is refused.
    case autoMerge
    /// It is refused, and its sender is given the stored record.
    case optimistic
}
