internal import TidelogLMDB
internal import TidelogSuggestion

/// Errors that several parts of the store throw.
extension DataStoreError {
    static var cleared: DataStoreError {
        DataStoreError(
            .storeCleared, "The store was cleared while it was in use.",
            recovery: "Read the store again. It is empty now.")
    }

    static var closed: DataStoreError {
        DataStoreError(.closed, "The store was closed.", recovery: "Open it again.")
    }

    static var suspended: DataStoreError {
        DataStoreError(
            .suspended, "The store is suspended.",
            recovery: "Call `resume()` first. Live queries and streams of events wait for it by themselves.")
    }

    static var readOnly: DataStoreError {
        DataStoreError(.readOnly, "The store was opened for reading only.", recovery: "Open it for writing.")
    }

    /// The error for a commit that is larger than ``Limits`` allow.
    static var transactionTooLarge: DataStoreError {
        DataStoreError(
            .transactionTooLarge,
            "The write exceeds \(Limits.commitEventCount) events or \(Limits.commitByteCount >> 20) MiB.",
            recovery:
                "Split it into several writes. The store's own `save` and `delete` of many records, called outside of "
                + "`write`, split themselves.")
    }

    /// The error for a reader at event `sequence`, if compaction has dropped events that it has not read yet.
    static func lagged(after sequence: SequenceNumber, floor: SequenceNumber) -> DataStoreError {
        var error = DataStoreError(
            .lagged,
            "This reader fell too far behind: compaction has dropped some of the events from \(sequence.value + 1) to \(floor).",
            recovery: "Read the records as they are now and continue from there, or read the log from its beginning.")
        error.missed = SequenceNumber(sequence.value + 1)...floor
        return error
    }
}

/// Errors about names that a schema does not have. Each message suggests the most similar name that it has.
extension DataStoreError {
    /// The error for a predicate or sort on `model` that names the unknown field `name`.
    ///
    /// - Parameters:
    ///   - names: The names of the fields that the model has.
    ///   - purpose: The end of the message, for example ` to sort by`.
    static func unknownField(
        _ name: String, of model: String, among names: [String], purpose: String = ""
    ) -> DataStoreError {
        DataStoreError(
            .invalidPredicate,
            "The model \(model) has no field \(name)\(purpose)\(Suggestion.ending(for: name, among: names))",
            model: model, recovery: "Fields: \(names.joined(separator: ", ")).")
    }

    /// The error for the unknown model `name` of `schema`, for example "The store's schema".
    package static func unknownModel(_ name: String, of schema: String, among names: [String]) -> DataStoreError {
        DataStoreError(
            .unknownModel, "\(schema) has no model \(name)\(Suggestion.ending(for: name, among: names))", model: name,
            recovery: "Models: \(names.joined(separator: ", ")).")
    }
}

extension DataStoreError {
    /// Translates an error of LMDB to an error of the store. Other errors are returned unchanged.
    package static func translating(_ error: any Error, _ what: String) -> any Error {
        guard let error = error as? LMDBError else { return error }
        switch error.code {
        case .mapFull, .noSpace, .quotaExceeded:
            return DataStoreError(
                .storageFull, "There is no room to \(what).", underlying: error,
                recovery: "Free space on the disk, raise the store's quota or compact the log; then try again.")
        case .addressSpace:
            return DataStoreError(
                .addressSpace,
                "Could not \(what): the system gave this process no addresses for the store's files, which it maps "
                    + "into its memory.",
                underlying: error,
                recovery: "Compact the log, close other stores of this process, or raise the limit of its address "
                    + "space (`ulimit -v`; on iOS, the entitlement for extended virtual addressing). Then open the "
                    + "store again.")
        case .mapIsRead:
            return DataStoreError(
                .locked, "Could not \(what): a read of the store takes so long that its files cannot grow.",
                underlying: error, recovery: "End long reads; then try again.")
        case .alreadyOpen, .busy:
            return DataStoreError(
                .locked, "Could not \(what): the store is in use.", underlying: error,
                recovery: "Use the instance that is open, or close it first.")
        case .unsafePath, .networkFileSystem:
            return DataStoreError(
                .unsafePath, "Could not \(what): a store may not use this path.", underlying: error,
                recovery: "Use a directory on a local disk that you own and that is no symbolic link.")
        case .closed:
            return DataStoreError(
                .closed, "Could not \(what): the store was closed.", underlying: error, recovery: "Open it again.")
        // The limits of a cursor and of a page are large enough for every healthy tree. A keyspace keeps the flags that
        // it was created with. These errors therefore mean damage.
        case .damagedFile, .corrupted, .invalid, .pageNotFound, .cursorFull, .pageFull, .incompatible:
            return DataStoreError(
                .damaged, "Could not \(what): the file is damaged.", underlying: error,
                recovery: "Run `tidelog verify`; it says whether to recreate the rows or to salvage the log.")
        case .versionMismatch:
            return DataStoreError(
                .incompatibleLibrary, "Could not \(what): another version of LMDB is in use.", underlying: error,
                recovery: "Use LMDB 0.9. To use a file of LMDB 1.0, copy it with `mdb_dump` of 1.0 and "
                    + "`mdb_load` of 0.9.")
        default:
            return DataStoreError(
                .inputOutput, "Could not \(what).", underlying: error,
                recovery: "Remove the cause, then open the store again.")
        }
    }
}

extension DataStoreError {
    /// Whether a write transaction failed only because the map of LMDB is too small. The next one has a larger map.
    var isMapFull: Bool { (underlying as? LMDBError)?.code == .mapFull }

    /// Whether the map of LMDB cannot grow at the moment.
    var isMapStuck: Bool { code == .addressSpace || (underlying as? LMDBError)?.code == .mapIsRead }
}

/// Calls `body`, and translates errors of LMDB to errors of the store.
@inline(__always)
package func translatingErrors<Result>(_ what: String, _ body: () throws -> Result) throws -> Result {
    do { return try body() } catch { throw DataStoreError.translating(error, what) }
}
