package import TidelogCore

/// What the service asks of a store: records with versions, changed one at a time, and found by key, by index and by the
/// time of their last change.
///
/// A deleted record stays as a tombstone with all its fields until it is purged. Versions and times are the store's:
/// `_version` counts a record's changes, `_lastChangedAt` never falls from one change to the next, over all models.
package protocol VersionedStore: Sendable {
    /// The document that the stored schema was made from, as it was given.
    var source: String { get }

    /// Why the last change could not be written, if that was the store's own fault: its disk is full, for example. Reads go
    /// on then. `nil` once a change was written again.
    var writeFailure: DataStoreError? { get }

    /// 32 bytes that the store keeps under `name` and shows nobody else; taken from `randomBytes` the first time.
    func secret(named name: String, _ randomBytes: @escaping @Sendable (Int) -> [UInt8]) async throws -> [UInt8]

    /// The record of `model` that has `id`, also if it is a tombstone; `nil` if there is none.
    ///
    /// - Throws: ``DataStoreError``.
    func record(_ model: String, _ id: RecordID) async throws -> Record?

    /// Changes one record, in one transaction: `decide` is given the record as it is then, and nobody changes it in between.
    ///
    /// - Parameters:
    ///   - name: A name of this change. A change of that name that was written before, less than the tombstones' time ago, is
    ///     not repeated.
    ///   - decide: What becomes of the record. What it throws is thrown here, and nothing is changed.
    /// - Throws: ``ChangeNameTaken`` if the change of that name was about something else.
    func change(
        _ model: String, _ id: RecordID, name: ChangeName?,
        _ decide: @escaping @Sendable (Record?) throws -> ChangeDecision
    ) async throws -> ChangeOutcome

    /// A page of the records of one model, tombstones among them.
    func page(_ query: PageQuery) async throws -> RecordPage

    /// How ``page(_:)`` would find them: by which index, for people.
    func plan(_ query: PageQuery) async throws -> PagePlan

    /// The time of a sync that begins now: pages that are asked for from now on have every change from before it, and later
    /// changes have this time or a later one, also after the store was opened again. Where the store takes no changes now, it
    /// is the time of the last one.
    func beginSync() async throws -> Int64

    /// The changes from now on, in the order in which they were written.
    func changes() throws -> any AsyncSequence<StoredChange, any Error> & Sendable

    /// Removes tombstones, and the names of changes, from before `time`; returns how many tombstones it removed.
    @discardableResult
    func purge(before time: Int64) async throws -> Int
}

/// What a change is called, so that it is known again.
package struct ChangeName: Sendable, Hashable {
    /// The name: 1 to 128 bytes.
    package let text: String
    /// What the change is about, at most 128 bytes: a change of the same name is about the same.
    package let subject: String

    package init(_ text: String, subject: String) {
        precondition((1...128).contains(text.utf8.count), "a name has 1 to 128 bytes")
        precondition(subject.utf8.count <= 128, "a subject has at most 128 bytes")
        (self.text, self.subject) = (text, subject)
    }
}

/// A change has the name of another one, which was about something else.
package struct ChangeNameTaken: Error, Sendable {
    package init() {}
}

/// What becomes of a record that is to be changed.
package enum ChangeDecision: Sendable {
    /// It is replaced by this one; the store gives version and time.
    case save(Record)
    /// It becomes a tombstone with these fields.
    case delete(Record)
    /// It stays as it is.
    case keep
}

/// How a change ended.
package struct ChangeOutcome: Sendable {
    /// What was done.
    package enum Kind: Sendable, Hashable {
        /// The record was written.
        case written
        /// It stays as it was, as was decided.
        case kept
        /// A change of the same name was written before.
        case repeated
    }

    /// What was done.
    package var kind: Kind
    /// The record as it is now; `nil` if there is none.
    package var record: Record?
    /// The place of the change among all; `nil` if nothing was written.
    package var place: UInt64?
}

/// A question for a page of records.
package struct PageQuery: Sendable {
    /// The model.
    package var model: String
    /// Which records are on the page. What an index or the key can answer belongs here; other filters look at the page.
    package var predicate: QueryPredicate = .all
    /// The order, ties by key.
    package var sort: Sort = .byKey
    /// How many records at most.
    package var limit: Int
    /// Where the page before ended; `nil` for the first.
    package var place: PagePlace?

    package init(
        model: String, predicate: QueryPredicate = .all, sort: Sort = .byKey, limit: Int, place: PagePlace? = nil
    ) {
        precondition(limit > 0, "a page has room for a record")
        (self.model, self.predicate, self.sort, self.limit, self.place) = (model, predicate, sort, limit, place)
    }
}

/// A page of records.
package struct RecordPage: Sendable {
    /// In the order of the query.
    package var records: [Record]
    /// Where the next page begins; `nil` if this is the last.
    package var next: PagePlace?
}

/// How a page is found.
package struct PagePlan: Sendable, Hashable {
    /// The index that is read, `nil` if the table is.
    package var index: String?
    /// Whether records must be collected and sorted before the first is given.
    package var sorts: Bool
    /// What is done, for people. Values of the query are in it.
    package var summary: String
}

/// A change that was written.
package struct StoredChange: Sendable {
    /// What was done to the record.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case created, updated, deleted
    }

    /// What was done to the record.
    package var kind: Kind
    /// The record after it.
    package var record: Record
    /// The place of the change among all.
    package var place: UInt64
}
