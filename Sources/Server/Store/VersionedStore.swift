package import TidelogCore

/// The store that the service needs. It holds records with versions, changes them one at a time, and finds them by key, by
/// index and by the time of their last change.
///
/// A deleted record stays as a tombstone with all its fields until it is purged. The store sets versions and times: `_version`
/// counts the changes of a record, and `_lastChangedAt` never decreases from one change to the next, over all models.
package protocol VersionedStore: Sendable {
    /// The document from which the stored schema was made, unchanged.
    var source: String { get }

    /// The failure of the last change, if the store itself failed, for example because its disk is full. Reads continue to work
    /// then. `nil` after a change was written again.
    var writeFailure: DataStoreError? { get }

    /// A secret of 32 bytes that the store keeps under `name`. The first call takes them from `randomBytes`.
    func secret(named name: String, _ randomBytes: @escaping @Sendable (Int) -> [UInt8]) async throws -> [UInt8]

    /// The record of `model` with `id`, even if it is a tombstone; `nil` if there is none.
    ///
    /// - Throws: ``DataStoreError``.
    func record(_ model: String, _ id: RecordID) async throws -> Record?

    /// Changes one record in one transaction. `decide` gets the record as it is in the transaction, so no other change can come
    /// between.
    ///
    /// - Parameters:
    ///   - name: The name of this change. If a change with the same name was written before, and its name is younger than the
    ///     age of tombstones, the change is not repeated.
    ///   - decide: Decides about the record. If it throws, this method throws the same error, and nothing is changed.
    /// - Throws: ``ChangeNameTaken`` if the earlier change with this name had another subject or another content.
    func change(
        _ model: String, _ id: RecordID, name: ChangeName?,
        _ decide: @escaping @Sendable (Record?) throws -> ChangeDecision
    ) async throws -> ChangeOutcome

    /// A page of the records of one model, including tombstones. It ends early after a certain number of compared bytes, so
    /// that other work gets its turn. The caller then asks for the rest.
    func page(_ query: PageQuery) async throws -> CountedPage

    /// A description, for people, of how ``page(_:)`` would find the records.
    func plan(_ query: PageQuery) async throws -> PagePlan

    /// The time of a sync that begins now. Pages that are read from now on contain every change before this time. Later changes
    /// have this time or a later one, even after the store was opened again. While the store cannot write, this is the time of
    /// the last change.
    func beginSync() async throws -> Int64

    /// The changes from now on, in the order in which they are written.
    func changes() throws -> any AsyncSequence<StoredChange, any Error> & Sendable

    /// Purges tombstones and names of changes from before `time`. Returns the number of purged tombstones.
    @discardableResult
    func purge(before time: Int64) async throws -> Int
}

/// The name of a change. It makes sure that the same change is not made twice.
package struct ChangeName: Sendable, Hashable {
    /// The name: 1 to 128 bytes.
    package let text: String
    /// The subject of the change, at most 128 bytes. Changes with the same name have the same subject.
    package let subject: String
    /// A digest of the requested values, at most 128 bytes. Changes with the same name have the same content.
    package let content: String

    package init(_ text: String, subject: String, content: String) {
        precondition((1...128).contains(text.utf8.count), "a name has 1 to 128 bytes")
        precondition(subject.utf8.count <= 128, "a subject has at most 128 bytes")
        precondition(content.utf8.count <= 128, "a digest has at most 128 bytes")
        (self.text, self.subject, self.content) = (text, subject, content)
    }
}

/// A change has the name of an earlier change with another subject or another content.
package struct ChangeNameTaken: Error, Sendable {
    package init() {}
}

/// The decision about a record that is to be changed.
package enum ChangeDecision: Sendable {
    /// The record is replaced by this one. The store sets its version and time.
    case save(Record)
    /// The record becomes a tombstone with these fields.
    case delete(Record)
    /// The record stays unchanged.
    case keep
}

/// The outcome of a change.
package struct ChangeOutcome: Sendable {
    /// The kind of outcome.
    package enum Kind: Sendable, Hashable {
        /// The record was written.
        case written
        /// The record was kept unchanged, as `decide` decided.
        case kept
        /// A change with the same name was written before.
        case repeated
    }

    /// The kind of outcome.
    package var kind: Kind
    /// The record after the change; `nil` if there is none.
    package var record: Record?
    /// The place of the change in the order of all changes; `nil` if nothing was written.
    package var place: UInt64?
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

/// The plan for a page: how its records are found.
package struct PagePlan: Sendable, Hashable {
    /// The index that is read; `nil` if the whole table is read.
    package var index: String?
    /// Whether the store must collect and sort records before it can return the first.
    package var sorts: Bool
    /// A description of the plan, for people. It contains values from the query.
    package var summary: String
}

/// A change that was written.
package struct StoredChange: Sendable {
    /// The kind of change to the record.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case created, updated, deleted
    }

    /// The kind of change to the record.
    package var kind: Kind
    /// The record after the change.
    package var record: Record
    /// The place of the change in the order of all changes.
    package var place: UInt64
}
