extension TypeSystem {
    /// Coerces a literal to a leaf type (§3.5, §3.9). Only literals of custom scalars may contain variables.
    func coerced(
        leaf literal: Value, to type: DeclaredType, variables: [String: InputValue]
    ) throws(LeafError) -> InputValue {
        guard type.kind == .scalar else { return try enumValue(literal, type) }
        switch type.scalar {
        case .int:
            guard case .int(let node) = literal else {
                throw .sentence("Int cannot represent non-integer value: \(literal.shortText)")
            }
            return .int(try checkedInt(Int64(node.text), literal.shortText))
        case .float:
            guard let number = literal.double else {
                throw .sentence("Float cannot represent non numeric value: \(literal.shortText)")
            }
            return .double(number)
        case .string:
            guard let text = literal.string else {
                throw .sentence("String cannot represent a non string value: \(literal.shortText)")
            }
            return .string(text)
        case .boolean:
            guard let truth = literal.boolean else {
                throw .sentence("Boolean cannot represent a non boolean value: \(literal.shortText)")
            }
            return .bool(truth)
        case .id:
            switch literal {
            case .string(let node): return .string(node.value)
            case .int(let node): return .string(node.text)
            default:
                throw .sentence("ID cannot represent a non-string and non-integer value: \(literal.shortText)")
            }
        case .custom(let scalar):
            do { return try scalar.coerceInput(literal.untyped(variables)) } catch { throw .reason(error.message) }
        }
    }

    private func enumValue(_ literal: Value, _ type: DeclaredType) throws(LeafError) -> InputValue {
        guard let name = literal.enumName else {
            throw .sentence("Enum \"\(type.name)\" cannot represent non-enum value: \(literal.shortText).")
        }
        guard type.enumValue(name) != nil else {
            throw .sentence("Value \"\(name)\" does not exist in \"\(type.name)\" enum.")
        }
        return .string(name)
    }
}

extension Value {
    /// The text of the literal for messages, shortened if it is long.
    var shortText: String {
        let text = printed()
        return text.utf8.count <= 100 ? text : "\(text.prefix(100))…"
    }

    /// Converts a literal whose type does not determine the value. The name of an enum value becomes a text.
    func untyped(_ variables: [String: InputValue]) -> InputValue {
        switch self {
        case .variable(let node): variables[node.name.value] ?? .null
        case .int(let node): Int64(node.text).map { .int($0) } ?? .double(Double(node.text) ?? .infinity)
        case .float(let node): .double(Double(node.text) ?? .infinity)
        case .string(let node): .string(node.value)
        case .boolean(let node): .bool(node.value)
        case .null: .null
        case .enum(let node): .string(node.name.value)
        case .list(let node): .list(node.values.map { $0.untyped(variables) })
        case .object(let node):
            .object(InputObject(node.fields.map { .init(name: $0.name.value, value: $0.value.untyped(variables)) }))
        }
    }

    /// Whether the value contains a variable.
    var hasVariables: Bool {
        switch self {
        case .variable: true
        case .list(let node): node.values.contains { $0.hasVariables }
        case .object(let node): node.fields.contains { $0.value.hasVariables }
        default: false
        }
    }
}
