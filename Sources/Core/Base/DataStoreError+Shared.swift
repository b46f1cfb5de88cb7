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
