internal import TidelogGraphQLExecution

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

// MARK: - Wrong values

/// AppSync's texts about wrong values. AppSync is based on graphql-java, so the texts show values as Java does.
extension WrongValue {
    /// The text about the value.
    var appSyncText: String {
        switch given {
        case .literal(let literal): "argument '\(place)' with value '\(literal.javaText)' \(fault)"
        case .input(let value): "Variable '\(place)' has an invalid value. \(reason(value))."
        }
    }

    /// The mistake in a literal, as the end of a sentence.
    private var fault: String {
        switch mistake {
        case .null: "must not be null"
        case .leaf: "is not a valid '\(type)'"
        case .noObject: "must be an object type"
        case .missingFields(let names): "is missing required fields '[\(names.joined(separator: ", "))]'"
        case .unknownField(let name): "contains a field not in '\(type)': '\(name)'"
        }
    }

    /// The mistake in a value of a variable, as a sentence without a full stop.
    private func reason(_ value: InputValue) -> String {
        let text = value.javaText.shortened
        switch mistake {
        case .leaf(isEnum: true): return "Invalid input for Enum '\(type)'. No value found for name '\(text)'"
        case .noObject:
            return
                "Expected type 'Map' but was '\(value.javaType)'. Variables for input objects must be an instance of type "
                + "'Map'"
        default: break
        }
        if type == "AWSJSON" { return "Unable to parse \(text) as valid JSON" }
        if let meaning = Self.meanings[type] { return "Unable to parse `\(text)` as a valid \(meaning)" }
        return "Expected type '\(type)' but was '\(value.javaType)'"
    }

    /// The names of the values of AppSync's scalars.
    private static let meanings = [
        "AWSDate": "date", "AWSTime": "time", "AWSDateTime": "DateTime Object", "AWSTimestamp": "timestamp",
        "AWSEmail": "email address", "AWSURL": "URL", "AWSPhone": "phone number", "AWSIPAddress": "IP address",
    ]
}

extension Value {
    /// The literal as graphql-java prints it, without the rest of a long text.
    fileprivate var javaText: String {
        switch self {
        case .variable(let variable): "VariableReference{name='\(variable.name.value)'}"
        case .int(let text, _): "IntValue{value=\(text.shortened)}"
        case .float(let text, _): "FloatValue{value=\(text.shortened)}"
        case .string(let node): "StringValue{value='\(node.value.shortened)'}"
        case .boolean(let isTrue, _): "BooleanValue{value=\(isTrue)}"
        case .null: "NullValue{}"
        case .enum(let name): "EnumValue{name='\(name.value.shortened)'}"
        case .list(let values, _): "ArrayValue{values=[\(String.joined(values) { $0.javaText })]}"
        case .object(let fields, _):
            "ObjectValue{objectFields=["
                + String.joined(fields) {
                    "ObjectField{name='\($0.name.value.shortened)', value=\($0.value.javaText)}"
                }
                + "]}"
        }
    }
}

extension InputValue {
    /// The value as Java prints it, without the rest of a long text.
    fileprivate var javaText: String {
        switch self {
        case .null: "null"
        case .bool(let truth): "\(truth)"
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): text.shortened
        case .list(let elements): "[\(String.joined(elements) { $0.javaText })]"
        case .object(let object): "{\(String.joined(object.members) { "\($0.name.shortened)=\($0.value.javaText)" })}"
        }
    }

    /// The name of the Java class that graphql-java reads the value as.
    fileprivate var javaType: String {
        switch self {
        case .null: "null"
        case .bool: "Boolean"
        case .int(let number): Int32(exactly: number) == nil ? "Long" : "Integer"
        case .double: "Double"
        case .string: "String"
        case .list: "ArrayList"
        case .object: "LinkedHashMap"
        }
    }
}

extension String {
    /// The text without the rest, if it is long.
    fileprivate var shortened: String { utf8.count <= 200 ? self : "\(prefix(200))…" }

    /// The texts of the first parts, with commas between them. An ellipsis replaces the other parts if there are many.
    fileprivate static func joined<Part>(_ parts: [Part], _ text: (Part) -> String) -> String {
        var joined = ""
        for (index, part) in parts.enumerated() {
            if index > 0 { joined += ", " }
            guard joined.utf8.count <= 1_000 else { return joined + "…" }
            joined += text(part)
        }
        return joined
    }
}
