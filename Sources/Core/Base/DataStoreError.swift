/// What went wrong in a store: a code to branch on, a message that says what happened to what, and what to do.
///
/// `description` never holds a record's data.
public struct DataStoreError: Error, Sendable {
    /// The kinds of failure. New ones may come: branch with a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The code's name, stable for scripts.
        public let name: String

        /// The code called `name`.
        public init(_ name: String) { self.name = name }

        /// The code's name.
        public var description: String { name }

        /// The condition of a save or delete was false, or its record does not exist.
        public static let conditionFailed = Code("conditionFailed")
        /// An insert met a record that exists.
        public static let alreadyExists = Code("alreadyExists")
        /// The record does not exist.
        public static let notFound = Code("notFound")
        /// A record refers to no parent, or to one that is not there, if its schema requires one.
        public static let parentMissing = Code("parentMissing")
        /// A value is not allowed: too large, not finite, missing where required, or of another type.
        public static let invalidValue = Code("invalidValue")
        /// A predicate or sort names an unknown field or does not fit its type.
        public static let invalidPredicate = Code("invalidPredicate")
        /// The schema is not usable, or a change of it would lose data.
        public static let invalidSchema = Code("invalidSchema")
        /// A migration threw, or gave a record that the schema does not allow.
        public static let migrationFailed = Code("migrationFailed")
        /// The schema has no such model.
        public static let unknownModel = Code("unknownModel")
        /// A commit exceeds 100,000 events or 64 MiB.
        public static let transactionTooLarge = Code("transactionTooLarge")
        /// The log's sync failed: whether the commit is durable is not known.
        public static let outcomeUnknown = Code("outcomeUnknown")
        /// A sync failed earlier: the store refuses writes until it is opened again.
        public static let poisoned = Code("poisoned")
        /// The disk or the store's quota is full.
        public static let storageFull = Code("storageFull")
        /// An operation of the system failed.
        public static let inputOutput = Code("inputOutput")
        /// The rows are not readable now; the log is.
        public static let projectionUnavailable = Code("projectionUnavailable")
        /// The log has damage.
        public static let logDamaged = Code("logDamaged")
        /// Stored bytes do not decode.
        public static let damaged = Code("damaged")
        /// Another process or another instance writes this store.
        public static let locked = Code("locked")
        /// The store was closed.
        public static let closed = Code("closed")
        /// The store was cleared while this reader was at work.
        public static let storeCleared = Code("storeCleared")
        /// This store was opened for reading only.
        public static let readOnly = Code("readOnly")
        /// The store was written by a newer version.
        public static let newerFormat = Code("newerFormat")
        /// The LMDB library found, or a file of the store, is of another version of LMDB than this program was built for.
        public static let incompatibleLibrary = Code("incompatibleLibrary")
        /// The store's recorded configuration differs from the one given.
        public static let configurationMismatch = Code("configurationMismatch")
        /// A reader was overtaken by compaction.
        public static let lagged = Code("lagged")
        /// A position does not lie on this log, or may not be moved there.
        public static let invalidPosition = Code("invalidPosition")
        /// A path is not one a store may use.
        public static let unsafePath = Code("unsafePath")
    }

    /// What kind of failure this is.
    public let code: Code
    /// A sentence: what happened, to what.
    public let message: String
    /// The model concerned, if one is.
    public var model: String?
    /// The record concerned, if one is.
    public var recordID: RecordID?
    /// The field or relation concerned, if one is.
    public var field: String?
    /// The record that is not there, if the code is ``Code/parentMissing``; `nil` if none is referred to.
    public var parentID: RecordID?
    /// The commit concerned, if the code is ``Code/outcomeUnknown``.
    public var commit: Commit?
    /// What a call for many records had appended before it failed; it stays.
    public var appended: BulkCommit?
    /// The events of which some are gone, if the code is ``Code/lagged``.
    public var missed: ClosedRange<SequenceNumber>?
    /// The failure beneath this one, if there is one.
    public var underlying: (any Error)?
    /// What to do about it.
    public let recovery: String

    /// A failure of kind `code`.
    public init(
        _ code: Code, _ message: String, model: String? = nil, recordID: RecordID? = nil, commit: Commit? = nil,
        underlying: (any Error)? = nil, recovery: String
    ) {
        self.code = code
        self.message = message
        self.model = model
        self.recordID = recordID
        self.commit = commit
        self.underlying = underlying
        self.recovery = recovery
    }
}

extension DataStoreError: CustomStringConvertible {
    /// The code, the message and what to do; no data of the record.
    public var description: String {
        let cause = underlying.map { " Cause: \($0)." } ?? ""
        return "\(code): \(message)\(cause) \(recovery)"
    }
}
