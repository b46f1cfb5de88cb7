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
