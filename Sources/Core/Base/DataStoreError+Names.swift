internal import TidelogSuggestion

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
