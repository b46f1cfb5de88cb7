internal import TidelogCore

/// A handler's answer about a conflict.
struct ConflictAnswer: Sendable {
    /// The record about which the handler was asked.
    let stored: Record
    /// The decision of the handler: it saves, deletes or refuses.
    let decision: MutationDecision
}
