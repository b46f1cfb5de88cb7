@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

/// The JSON of values in the form that the second opinion writes: without spaces, and with the members in order.
enum JSONText {
    static func of(_ value: ResponseValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let truth): "\(truth)"
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): quoted(text)
        case .list(let values): "[\(values.map(of).joined(separator: ","))]"
        case .object(let object): members(object.names, object.values.map(of))
        }
    }

    static func of(_ value: InputValue) -> String {
        switch value {
        case .null: "null"
        case .bool(let truth): "\(truth)"
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): quoted(text)
        case .list(let values): "[\(values.map(of).joined(separator: ","))]"
        case .object(let object): of(object)
        }
    }

    static func of(_ object: InputObject) -> String {
        members(object.members.map(\.name), object.members.map { of($0.value) })
    }

    private static func members(_ names: [String], _ values: [String]) -> String {
        "{\(zip(names, values).map { "\(quoted($0)):\($1)" }.joined(separator: ","))}"
    }

    static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
