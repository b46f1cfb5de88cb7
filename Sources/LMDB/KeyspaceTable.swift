/// The open keyspaces of an environment, by name.
///
/// In LMDB, only one transaction at a time may open keyspaces. A transaction that began before another one published its
/// keyspaces would use the same slot a second time, and write one tree under the other's name. Therefore only one transaction
/// is the opener at a time, and it must have begun after the last publication.
struct KeyspaceTable {
    enum Answer {
        /// The keyspace is open. It can be used in transactions that began after it was opened.
        case open(Keyspace)
        /// The keyspace is not open. This transaction is now the opener, and must call ``finish(_:opened:)`` when it ends.
        case mayOpen
        /// Another transaction is the opener, or this transaction is too old.
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

    /// Publishes the keyspaces that the opener opened (none if it aborted). After this, another transaction can be the opener.
    mutating func finish(_ transaction: ObjectIdentifier, opened: [String: Keyspace]) {
        guard opener == transaction else { return }
        opener = nil
        guard !opened.isEmpty else { return }
        generation += 1
        keyspaces.merge(opened) { _, new in new }
    }

    /// Removes a dropped keyspace.
    mutating func forget(_ keyspace: Keyspace) {
        keyspaces = keyspaces.filter { $0.value != keyspace }
    }
}
