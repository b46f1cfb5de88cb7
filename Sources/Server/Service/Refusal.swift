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
    func error(for field: SelectedField, _ access: ModelAccess) -> ResolverError {
        switch self {
        case .conditionFailed:
            ResolverError("The conditional request failed", errorType: "ConditionalCheckFailedException")
        case .conflict(let stored):
            Self.error("Conflict resolver rejects mutation.", "ConflictUnhandled", stored, field, access)
        case .undecided(let stored, _):
            Self.error("The conflict handler gave no answer.", "ConflictError", stored, field, access)
        case .tooManyConflicts(let stored):
            Self.error("The record was changed again and again.", "MaxConflicts", stored, field, access)
        }
    }

    private static func error(
        _ message: String, _ errorType: String, _ stored: Record, _ field: SelectedField, _ access: ModelAccess
    ) -> ResolverError {
        ResolverError(message, errorType: errorType, data: .object(data(of: stored, field, access)))
    }

    /// The fields that were selected, as far as the caller may read them, and the name of the type, the key and the metadata
    /// in any case.
    private static func data(of record: Record, _ field: SelectedField, _ access: ModelAccess) -> ResponseObject {
        let model = access.model
        var names: [String] = ["__typename"] + model.key + Metadata.names.sorted()
        for selected in field.selection()?.fields ?? [] where !names.contains(selected.name) {
            guard model.relations[selected.name] == nil else { continue }
            names.append(selected.name)
        }
        let isAlwaysTold = Set(model.key + Metadata.names)
        let values = names.map { name -> ResponseValue in
            if name == "__typename" { return .string(model.name) }
            guard isAlwaysTold.contains(name) || access.mayRead(name, of: record, .get) else { return .null }
            return record[name]?.response ?? .null
        }
        return ResponseObject(names: names, values: values)
    }
}

extension AccessRefusal {
    /// The error of the field that was refused.
    func error(for field: SelectedField) -> ResolverError {
        switch self {
        case .operation:
            ResolverError(
                "Not Authorized to access \(field.name) on type \(field.parent.name)", errorType: "Unauthorized")
        case .fields(let names):
            ResolverError("Unauthorized on [\(names.joined(separator: ", "))]", errorType: "Unauthorized")
        }
    }
}

/// What a request is told of a failure of the store.
enum ServiceFailure {
    /// The type of errors that are the server's own.
    static let internalFailure = "InternalFailure"
    /// The type of the error of a query that came while the server had too much to send.
    static let overloaded = "ServiceUnavailableException"
    /// The type of the error of a change that was written, and whose response lacks a value that it must have.
    static let responseIncomplete = "ResponseIncomplete"
    /// The type of the error of a response that is too long.
    static let limitExceeded = "LimitExceededException"
    /// The type of the error of a mutation that came by GET.
    static let notByThisMethod = "MethodNotAllowed"

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
