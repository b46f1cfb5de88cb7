package import TidelogCore

/// The store as the sync engine uses it.
///
/// The methods that write decide inside of the write, and only if `pending` contains every event of the records in question. If
/// they throw ``SyncStore/Overtaken``, the caller must read the log's new events and try again.
package protocol SyncStorage {
    /// The store's content. The log is read from the outbox's position.
    func contents() async throws -> SyncMachine.Contents
    /// The events after `position`, up to the log's end.
    ///
    /// - Parameter isQuiet: Whether no change was pending or set aside at `position`. Then events of the server's records that
    ///   come before the next change may be left out, except for the place of the last one.
    func newEvents(after position: Position, isQuiet: Bool, isHeard: Bool) async throws -> SyncMachine.NewEvents
    /// The rows and the server states from which mutations are made.
    func prepared(_ preparations: [Outbox.Preparation]) async throws -> [Outbox.PreparedRow]
    /// The set-aside changes, the oldest first.
    func setAside() async throws -> [SetAsideChange]
    /// The time when an event was appended, in microseconds since 1970-01-01T00:00:00Z; `nil` if it is not in the log.
    func time(of sequence: SequenceNumber) async throws -> Int64?
    /// The time of each model's last complete sync, by the server's clock in milliseconds.
    func lastSyncs() async throws -> [String: Int64]

    /// Appends notes and answers in one write.
    func append(_ append: SyncMachine.Append, _ pending: PendingChanges) async throws -> SyncMachine.Reception
    /// Appends records that the server pushed, in one write.
    func receive(pushed records: [ServerRecord], _ pending: PendingChanges) async throws -> SyncMachine.Reception
    /// Appends a page and its notes, in one write.
    func receive(_ page: Inbox.PageAppend, _ pending: PendingChanges) async throws -> SyncMachine.Reception
    /// Appends the server's answers to requests for single records. A record that the server does not have leaves the store.
    func receive(_ answers: [Inbox.RecordAnswer], _ pending: PendingChanges) async throws -> SyncMachine.Reception
    /// Removes the records that a base query did not see.
    func sweep(_ sweep: Inbox.Sweep, _ pending: PendingChanges) async throws -> SyncMachine.Sweeping
    /// Ends changes of a record that cancel each other out.
    func settle(_ reference: RecordReference, through last: SequenceNumber, _ pending: PendingChanges) async throws
    /// Adds the pending changes of a record to its set-aside change.
    func join(_ reference: RecordReference, _ pending: PendingChanges) async throws
    /// Notes the protocol of the server.
    func note(_ chosen: SyncProtocol) async throws
    /// Moves the outbox's position.
    func advance(to position: Position) async throws
}
