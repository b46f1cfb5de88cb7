/// A fault that tests plant in the machines. The simulation must find each of them.
package enum PlantedFault: String, Sendable, Hashable, CaseIterable {
    /// Marks are not read after a crash, so a mutation gets another id.
    case marksIgnored
    /// A request that has no answer is awaited forever.
    case noTimeLimit
    /// The return of the network starts no work.
    case networkReturnIgnored
    /// Changes made while a mutation is in flight count as answered together with the mutation.
    case laterChangesForgotten
    /// A server's record replaces a row that has pending changes.
    case pushNotShadowed
    /// A push with an old version is accepted.
    case oldVersionTaken
    /// A record that is created after its deletion was answered goes out as an update.
    case recreationAsUpdate
    /// No query follows the loss of a subscription.
    case noQueryAfterLoss
    /// A complete base query removes nothing.
    case nothingSwept
    /// The last sync is recorded before the last page.
    case lastSyncTooEarly
    /// A query that had an unusable record counts as complete.
    case unusableHidden
    /// The nulls of pushes and responses are taken as they are.
    case hintTaken
    /// A record that a base query did not see leaves the store, even if it changed just before the query.
    case doubtIgnored
    /// A base query begins with its first page after each restart.
    case baseQueryForgotten
}
