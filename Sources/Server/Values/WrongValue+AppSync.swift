internal import TidelogGraphQL

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
        case .variable(let node): "VariableReference{name='\(node.name.value)'}"
        case .int(let node): "IntValue{value=\(node.text.shortened)}"
        case .float(let node): "FloatValue{value=\(node.text.shortened)}"
        case .string(let node): "StringValue{value='\(node.value.shortened)'}"
        case .boolean(let node): "BooleanValue{value=\(node.value)}"
        case .null: "NullValue{}"
        case .enum(let node): "EnumValue{name='\(node.name.value.shortened)'}"
        case .list(let node): "ArrayValue{values=[\(String.joined(node.values) { $0.javaText })]}"
        case .object(let node):
            "ObjectValue{objectFields=["
                + String.joined(node.fields) {
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
