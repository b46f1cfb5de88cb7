/// The open keyspaces of an environment, by name.
///
/// LMDB lets only one transaction at a time open handles, and a transaction that began before another published one
/// would hand out the same slot twice and write one tree under the other's name. So: one opener at a time, and only
/// a transaction that began after the last publication may open.
struct KeyspaceTable {
    enum Answer {
        /// Open already; usable in transactions that began since.
        case open(Keyspace)
        /// Not open; this transaction is now the opener, and must call ``finish(_:opened:)`` when it ends.
        case mayOpen
        /// Another transaction is the opener, or this one is too old.
        case busy
    }

    private var keyspaces: [String: Keyspace] = [:]
    private var opener: ObjectIdentifier?
    private(set) var generation = 0

    mutating func ask(for name: String, by transaction: ObjectIdentifier, begunAt: Int) -> Answer {
        if let keyspace = keyspaces[name] { return .open(keyspace) }
        guard begunAt == generation, opener == nil || opener == transaction else { return .busy }
        opener = transaction
        return .mayOpen
    }

    /// Publishes what the opener opened (nothing if it aborted) and lets others open.
    mutating func finish(_ transaction: ObjectIdentifier, opened: [String: Keyspace]) {
        guard opener == transaction else { return }
        opener = nil
        guard !opened.isEmpty else { return }
        generation += 1
        keyspaces.merge(opened) { _, new in new }
    }

    /// Forgets a dropped keyspace.
    mutating func forget(_ keyspace: Keyspace) {
        keyspaces = keyspaces.filter { $0.value != keyspace }
    }
}
