internal import TidelogGraphQL

extension [GraphQLError] {
    /// The errors with AppSync's wording. AppSync names all missing fields of an object in one error.
    var inAppSyncWords: [GraphQLError] {
        var seen: Set<GraphQLError> = []
        return map(\.inAppSyncWords).filter { error in
            guard case .missingFields? = error.violation?.value?.mistake else { return true }
            return seen.insert(error).inserted
        }
    }
}

extension GraphQLError {
    /// The error with AppSync's wording, if it is an error of validation or of variables.
    fileprivate var inAppSyncWords: GraphQLError {
        guard let violation else { return self }
        var error = self
        switch violation.kind {
        case .undefinedVariableField where violation.names.count == 2:
            let (field, type) = (violation.names[0], violation.names[1])
            error.locations = []
            error.message =
                "The variables input contains a field name '\(field)' that is not defined for input object type '\(type)'"
        case .nullVariable where violation.names.count == 2:
            let (name, type) = (violation.names[0], violation.names[1])
            error.locations = []
            error.message = "Variable '\(name)' has coerced Null value for NonNull type '\(type)'"
        case .wrongVariable: error.message = violation.value?.appSyncText ?? message
        default:
            let place = violation.path.isEmpty ? "" : " @ '\(violation.path.joined(separator: "/"))'"
            error.message =
                "Validation error of type \(violation.kind.rawValue): \(violation.appSyncText ?? message)\(place)"
        }
        return error
    }
}

extension RuleViolation {
    /// AppSync's text for the most common mistakes; `nil` for all other mistakes.
    fileprivate var appSyncText: String? {
        if let value { return value.appSyncText }
        return switch (kind, names.first, names.dropFirst().first) {
        case (.fieldUndefined, let field?, let type?): "Field '\(field)' in type '\(type)' is undefined"
        case (.missingFieldArgument, let argument?, _): "Missing field argument \(argument)"
        case (.missingDirectiveArgument, let argument?, _): "Missing directive argument \(argument)"
        case (.unknownArgument, let argument?, _): "Unknown field argument \(argument)"
        case (.unknownDirective, let directive?, _): "Unknown directive \(directive)"
        case (.unknownType, let type?, _): "Unknown type \(type)"
        case (.undefinedVariable, let variable?, _): "Undefined variable \(variable)"
        case (.variableTypeMismatch, let type?, let expected?):
            "Variable type '\(type)' doesn't match expected type '\(expected)'"
        case (.unusedVariable, let variable?, _): "Unused variable \(variable)"
        case (.undefinedFragment, let fragment?, _): "Undefined fragment \(fragment)"
        case (.unusedFragment, let fragment?, _): "Unused fragment \(fragment)"
        case (.subselectionRequired, let field?, let type?): "Sub selection required for type \(type) of field \(field)"
        case (.subselectionNotAllowed, let field?, let type?):
            "Sub selection not allowed on leaf type \(type) of field \(field)"
        default: nil
        }
    }
}
