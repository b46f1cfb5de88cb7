#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Gives `localizedDescription`, which apps show, the store's own texts.
extension DataStoreError: LocalizedError {
    /// The whole text for people: ``message`` and ``recovery``.
    public var errorDescription: String? { recovery.isEmpty ? message : "\(message) \(recovery)" }

    /// The underlying error as text, `nil` if there is none.
    public var failureReason: String? { underlying.map { "\($0)" } }

    /// A suggestion for people: ``recovery``.
    public var recoverySuggestion: String? { recovery }
}
