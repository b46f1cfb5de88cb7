/// The connections of a store to its database.
package struct ConnectionCounts: Sendable, Hashable {
    /// The number of open connections.
    package var openCount: Int
    /// The number of connections that no work uses.
    package var idleCount: Int
    /// The number of pieces of work that wait for a connection.
    package var waitingCount: Int
    /// The number of connections that were lost so far.
    package var lostCount: Int

    package init(openCount: Int, idleCount: Int, waitingCount: Int, lostCount: Int) {
        (self.openCount, self.idleCount) = (openCount, idleCount)
        (self.waitingCount, self.lostCount) = (waitingCount, lostCount)
    }
}
