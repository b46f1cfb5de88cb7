#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// So that `localizedDescription`, which apps show, says what happened.
extension DataStoreError: LocalizedError {
    /// What happened, to what, and what to do: ``message`` and ``recovery``.
    public var errorDescription: String? { recovery.isEmpty ? message : "\(message) \(recovery)" }

    /// What failed beneath, if something did.
    public var failureReason: String? { underlying.map { "\($0)" } }

    /// What to do about it: ``recovery``.
    public var recoverySuggestion: String? { recovery }
}
