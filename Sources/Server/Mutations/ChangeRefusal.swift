internal import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution

/// The reason why a change was not made.
enum ChangeRefusal: Error {
    /// The caller may not make the change.
    case notPermitted(Permission.Refusal)
    /// A sent value breaks a rule of its field. The message is for people.
    case ruleBroken(String)
    /// The condition is false for the stored record, or a record to create is already stored. `nil` means that there is no
    /// stored record: the condition of a new record is false, or a record to change does not exist.
    case conditionFailed(Record?)
    /// As with ``conditionFailed(_:)``, in an API without versions. The error does not show the stored record.
    case checkFailed
    /// The change was made to another version than the stored one.
    case conflict(Record)
    /// The conflict handler returned no usable verdict.
    case undecided(Record, ConflictCase.Failure)
    /// The record had changed again each time the conflict handler had answered.
    case tooManyConflicts(Record)

    /// The failure of the conflict handler, for the operator.
    var failure: String? {
        if case .undecided(_, let failure) = self { failure.reason } else { nil }
    }

    /// The stored record that the error shows to a caller with `access`; `nil` if there is none. A caller without permission to
    /// read the record gets its metadata with a conflict, because the next change must name the version.
    func stored(for access: ModelAccess) -> Record? {
        switch self {
        case .notPermitted, .ruleBroken, .checkFailed: nil
        case .conditionFailed(let stored): access.permission(.get).holds(for: stored) ? stored : nil
        case .conflict(let stored), .undecided(let stored, _), .tooManyConflicts(let stored): stored
        }
    }

    /// The error of the mutation field.
    ///
    /// - Parameters:
    ///   - data: The selected fields of the stored record, so that the client can continue from it.
    ///   - requestID: Makes a name for the failed request to the store, for the errors that have one.
    func error(for field: SelectedField, data: ResponseValue?, requestID: () -> String) -> ResolverError {
        let error = { ResolverError($0, errorType: $1, data: data) }
        return switch self {
        case .notPermitted(let refusal): refusal.error(for: field)
        case .ruleBroken(let message): error(message, "ValidationError")
        case .conditionFailed: error("The conditional request failed", "ConditionalCheckFailedException")
        case .checkFailed:
            error(
                "The conditional request failed (Service: DynamoDb, Status Code: 400, Request ID: \(requestID()))",
                "DynamoDB:ConditionalCheckFailedException")
        case .conflict: error("Conflict resolver rejects mutation.", "ConflictUnhandled")
        case .undecided: error("The conflict handler gave no answer.", "ConflictError")
        case .tooManyConflicts: error("The record was changed again and again.", "MaxConflicts")
        }
    }
}

extension Permission.Refusal {
    /// The error of the refused field.
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
