internal import TidelogCore
internal import TidelogGraphQL

/// Why a change was not made.
enum Refusal: Error {
    /// The condition is false, or a record that is to be created is there, or one that is to be changed is not.
    case conditionFailed
    /// The change was made from another version than the one that is stored.
    case conflict(Record)
    /// The handler of conflicts gave no answer that can be followed.
    case undecided(Record, ConflictFailure)
    /// The record was changed whenever the handler of conflicts had answered.
    case tooManyConflicts(Record)

    /// Why a handler of conflicts gave no answer, for the operator.
    var failure: String? {
        if case .undecided(_, let failure) = self { failure.reason } else { nil }
    }

    /// The error of the field, with what was selected of the stored record and what its sender needs to go on.
    func error(for field: SelectedField, _ model: ModelAPI) -> ResolverError {
        switch self {
        case .conditionFailed:
            ResolverError("The conditional request failed", errorType: "ConditionalCheckFailedException")
        case .conflict(let stored):
            Self.error("Conflict resolver rejects mutation.", "ConflictUnhandled", stored, field, model)
        case .undecided(let stored, _):
            Self.error("The conflict handler gave no answer.", "ConflictError", stored, field, model)
        case .tooManyConflicts(let stored):
            Self.error("The record was changed again and again.", "MaxConflicts", stored, field, model)
        }
    }

    private static func error(
        _ message: String, _ errorType: String, _ stored: Record, _ field: SelectedField, _ model: ModelAPI
    ) -> ResolverError {
        ResolverError(message, errorType: errorType, data: .object(data(of: stored, field, model)))
    }

    /// The fields that were selected, and the name of the type, the key and the metadata in any case.
    private static func data(of record: Record, _ field: SelectedField, _ model: ModelAPI) -> ResponseObject {
        var names: [String] = ["__typename"] + model.key + Metadata.names.sorted()
        for selected in field.selection()?.fields ?? [] where !names.contains(selected.name) {
            guard model.relations[selected.name] == nil else { continue }
            names.append(selected.name)
        }
        let values = names.map { name -> ResponseValue in
            name == "__typename" ? .string(model.name) : record[name]?.response ?? .null
        }
        return ResponseObject(names: names, values: values)
    }
}

/// What a request is told of a failure of the store.
enum ServiceFailure {
    /// The type of errors that are the server's own.
    static let internalFailure = "InternalFailure"

    static func error(of error: any Error) -> ResolverError {
        if let error = error as? ResolverError { return error }
        guard let error = error as? DataStoreError else {
            return ResolverError("The server failed.", errorType: internalFailure)
        }
        switch error.code {
        case .invalidValue: return ResolverError(error.message, errorType: "BadRequest")
        case .transactionTooLarge: return ResolverError(error.message, errorType: "BadRequest")
        default: return ResolverError("The server cannot do this now.", errorType: internalFailure)
        }
    }
}
