internal import TidelogCore
internal import TidelogGraphQL

/// The reason why a change was not made.
enum Refusal: Error {
    /// The condition is false, or a record to create already exists, or a record to change does not exist.
    case conditionFailed
    /// The change was made to another version than the stored one.
    case conflict(Record)
    /// The conflict handler returned no usable verdict.
    case undecided(Record, ConflictFailure)
    /// The record had changed again each time the conflict handler had answered.
    case tooManyConflicts(Record)

    /// The failure of the conflict handler, for the operator.
    var failure: String? {
        if case .undecided(_, let failure) = self { failure.reason } else { nil }
    }

    /// The error of the mutation field. It contains the selected fields of the stored record, and what the client needs to
    /// continue.
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

    /// The fields of the error's record: the selected fields that the caller may read, and always the type name, the key and
    /// the metadata.
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
