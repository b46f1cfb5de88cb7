/// An error of a store: a code for programs, a message that describes the failure, and advice for the user.
///
/// The `description` never contains data of a record.
public struct DataStoreError: TidelogError {
    /// The kind of a failure. Later versions may add codes, so that a `switch` needs a `default`.
    public struct Code: TidelogErrorCode {
        /// The name of the code.
        public let name: String

        /// The code called `name`.
        public init(_ name: String) { self.name = name }

        /// The condition of a save or delete was false, or its record does not exist.
        public static let conditionFailed = Code("conditionFailed")
        /// An insert found an existing record with the same id.
        public static let alreadyExists = Code("alreadyExists")
        /// The record does not exist.
        public static let notFound = Code("notFound")
        /// A record refers to no parent, or to a parent that does not exist, although the schema requires one.
        public static let parentMissing = Code("parentMissing")
        /// A value is not allowed: too large, not finite, missing where required, or of another type.
        public static let invalidValue = Code("invalidValue")
        /// A value breaks a rule of its field: ``DataStoreError/rule``.
        public static let ruleBroken = Code("ruleBroken")
        /// A predicate or sort names an unknown field or does not fit its type.
        public static let invalidPredicate = Code("invalidPredicate")
        /// The schema is not usable, or a change of it would lose data.
        public static let invalidSchema = Code("invalidSchema")
        /// A migration threw an error, or returned a record that the schema does not allow.
        public static let migrationFailed = Code("migrationFailed")
        /// The schema has no such model.
        public static let unknownModel = Code("unknownModel")
        /// A commit exceeds 100,000 events or 64 MiB.
        public static let transactionTooLarge = Code("transactionTooLarge")
        /// The log's sync failed, so that it is not known whether the commit is durable.
        public static let outcomeUnknown = Code("outcomeUnknown")
        /// A sync failed earlier. The store refuses writes until it is opened again.
        public static let poisoned = Code("poisoned")
        /// The disk or the store's quota is full.
        public static let storageFull = Code("storageFull")
        /// The system has no addresses to map the store's files into memory, or larger files.
        public static let addressSpace = Code("addressSpace")
        /// An operation of the operating system failed.
        public static let inputOutput = Code("inputOutput")
        /// The rows cannot be read at present, but the log can.
        public static let projectionUnavailable = Code("projectionUnavailable")
        /// The log is damaged.
        public static let logDamaged = Code("logDamaged")
        /// Stored bytes cannot be decoded.
        public static let damaged = Code("damaged")
        /// Another process or another instance writes this store.
        public static let locked = Code("locked")
        /// The store was closed.
        public static let closed = Code("closed")
        /// The store is suspended, until `resume()` is called.
        public static let suspended = Code("suspended")
        /// The store was cleared while it was being read.
        public static let storeCleared = Code("storeCleared")
        /// The store was opened only for reading.
        public static let readOnly = Code("readOnly")
        /// The store was written by a newer version.
        public static let newerFormat = Code("newerFormat")
        /// The installed LMDB library, or a file of the store, has another version of LMDB than this program was built for.
        public static let incompatibleLibrary = Code("incompatibleLibrary")
        /// The recorded configuration of the store differs from the given one.
        public static let configurationMismatch = Code("configurationMismatch")
        /// Compaction has dropped events that a reader has not read yet.
        public static let lagged = Code("lagged")
        /// A position does not belong to this log, or a consumer may not be moved to it.
        public static let invalidPosition = Code("invalidPosition")
        /// A store may not use this path.
        public static let unsafePath = Code("unsafePath")
    }

    /// The kind of the failure.
    public let code: Code
    /// A sentence that describes the failure.
    public let message: String
    /// The model that the failure concerns, `nil` if it concerns none.
    public var model: String?
    /// The record that the failure concerns, `nil` if it concerns none.
    public var recordID: RecordID?
    /// The field or relation that the failure concerns, `nil` if it concerns none.
    public var field: String?
    /// The rule of ``field`` that a value breaks if the code is ``Code/ruleBroken``.
    public var rule: ValidationRule?
    /// The missing parent if the code is ``Code/parentMissing``, `nil` if the record refers to no parent.
    public var parentID: RecordID?
    /// The commit whose durability is not known, if the code is ``Code/outcomeUnknown``.
    public var commit: Commit?
    /// The commits of a call for many records before it failed. They stay in the log.
    public var appended: BulkCommit?
    /// The range of events that contains the dropped ones, if the code is ``Code/lagged``.
    public var missed: ClosedRange<SequenceNumber>?
    /// The underlying error, `nil` if there is none.
    public var underlying: (any Error)?
    /// Advice about what to do.
    public let recovery: String

    /// Creates an error of the kind `code`.
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
