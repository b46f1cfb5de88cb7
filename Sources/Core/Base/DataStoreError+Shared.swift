/// Errors that several parts throw.
extension DataStoreError {
    static var cleared: DataStoreError {
        DataStoreError(
            .storeCleared, "The store was cleared meanwhile.", recovery: "Go on with the store as it is now: empty.")
    }

    static var closed: DataStoreError {
        DataStoreError(.closed, "The store was closed.", recovery: "Open it again.")
    }

    static var readOnly: DataStoreError {
        DataStoreError(.readOnly, "The store was opened for reading only.", recovery: "Open it for writing.")
    }

    /// A commit is larger than ``Limits`` allow.
    static var transactionTooLarge: DataStoreError {
        DataStoreError(
            .transactionTooLarge,
            "The write exceeds \(Limits.commitEventCount) events or \(Limits.commitByteCount >> 20) MiB.",
            recovery:
                "Split it into several writes. A store's own save and delete of many records, outside of write, go in as "
                + "many commits as they need.")
    }

    /// The reader who stood after event `sequence` was overtaken by compaction.
    static func lagged(after sequence: SequenceNumber, floor: SequenceNumber) -> DataStoreError {
        var error = DataStoreError(
            .lagged,
            "Compaction has overtaken this reader: of the events after \(sequence) up to \(floor), some are gone.",
            recovery: "Read the records as they are now, or begin again: what was kept of the log gives the same rows.")
        error.missed = SequenceNumber(sequence.value + 1)...floor
        return error
    }
}
