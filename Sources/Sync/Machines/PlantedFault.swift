/// Faults of the machines that tests plant, each of which the simulation must find.
package enum PlantedFault: String, Sendable, Hashable, CaseIterable {
    /// Marks are not read after a crash, so a mutation gets another id.
    case marksIgnored
    /// A request that has no answer is awaited forever.
    case noTimeLimit
    /// A network that returns wakes nothing.
    case networkReturnIgnored
    /// Changes made while a mutation is in flight count as answered with it.
    case laterChangesForgotten
    /// A server's record replaces a row that has pending changes.
    case pushNotShadowed
    /// A push with an old version is taken.
    case oldVersionTaken
    /// A record that is created after its deletion was answered goes out as an update.
    case recreationAsUpdate
    /// A lost subscription leads to no query.
    case noQueryAfterLoss
    /// A complete base query removes nothing.
    case nothingSwept
    /// The last sync is noted before the last page.
    case lastSyncTooEarly
    /// A query that had an unusable record counts as complete.
    case unusableHidden
    /// A base query begins with its first page after each restart.
    case baseQueryForgotten
}
