internal import TidelogCore

/// A handler's answer about a conflict.
///
/// The handler is asked between two transactions, so the record may change before the answer arrives. The answer then does not
/// count, and the handler is asked again. A decision therefore compares the record that the handler saw with the stored one.
struct ConflictAnswer: Sendable {
    /// The record about which the handler was asked.
    ///
    /// Its version and its values are those of the transaction that found the conflict.
    let stored: Record
    /// The decision of the handler: it saves, deletes or refuses.
    /// The condition of the mutation is checked after it.
    let decision: MutationDecision
}
