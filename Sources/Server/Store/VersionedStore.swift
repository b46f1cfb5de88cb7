package import TidelogCore

/// The store that the service needs. It holds records with versions, changes them one at a time, and finds them by key, by
/// index and by the time of their last change.
///
/// A deleted record stays as a tombstone with all its fields until it is purged. In the store of an API without versions, no
/// tombstone stays, and the key is free. The store sets versions and times: `_version` counts the changes of a record, and
/// `_lastChangedAt` never decreases from one change of a record to its next. Changes of different records may be committed at
/// the same time, in another order than their times. What syncs need over all records is the promise of ``beginSync()``.
package protocol VersionedStore: Sendable {
    /// The document from which the stored schema was made, unchanged.
    var source: String { get }

    /// The failure of the last change, if the store itself failed, for example because its disk is full. Reads continue to work
    /// then. `nil` after a change was written again.
    var writeFailure: DataStoreError? { get }

    /// The connections to the database; `nil` if the store has none.
    var connections: ConnectionCounts? { get }

    /// A secret of 32 bytes that the store keeps under `name`. The first call takes them from `randomBytes`.
    func secret(named name: String, _ randomBytes: @escaping @Sendable (Int) -> [UInt8]) async throws -> [UInt8]

    /// The record of `model` with `id`, even if it is a tombstone; `nil` if there is none.
    ///
    /// - Throws: ``DataStoreError``.
    func record(_ model: String, _ id: RecordID) async throws -> Record?

    /// Changes records, one after another. A change sees the changes before it. A change that fails has no effect, and the
    /// other changes are made. All changes are durable when this method returns; they share one sync if the store can do so.
    ///
    /// A store may ask the changes for their decisions again, always from the first one that it has not written.
    ///
    /// - Returns: For each change, its outcome or its error: the error of its `decide`, or ``StoredChange.NameTaken`` if an
    ///   earlier change with its name had another subject or another content.
    /// - Throws: An error if none of the changes was tried.
    func change(_ changes: [RequestedChange]) async throws -> [Result<StoredChange.Outcome, any Error>]

    /// A page of the records of one model, including tombstones. It ends early after a certain number of compared bytes, so
    /// that other work gets its turn. The caller then asks for the rest.
    func page(_ query: PageQuery) async throws -> CountedPage

    /// A description, for people, of how ``page(_:)`` would find the records.
    func plan(_ query: PageQuery) async throws -> QueryPlan

    /// The time of a sync that begins now. Pages that are read from now on contain every change before this time. Later changes
    /// have this time or a later one, even after the store was opened again. While the store cannot write, this is the time of
    /// the last change.
    func beginSync() async throws -> Int64

    /// The changes from now on, none of them missing. The changes of one record are in the order of its versions.
    func changes() async throws -> any AsyncSequence<StoredChange, any Error> & Sendable

    /// Purges tombstones and names of changes from before `time`. Returns the number of purged tombstones.
    @discardableResult
    func purge(before time: Int64) async throws -> Int
}

extension VersionedStore {
    package var connections: ConnectionCounts? { nil }
}

extension CountedPage {
    /// Adds `part`, the page that follows this one.
    mutating func add(_ part: CountedPage) {
        rows.append(contentsOf: part.rows)
        next = part.next
        count += part.count
        readCount += part.readCount
        comparedByteCount += part.comparedByteCount
    }
}
