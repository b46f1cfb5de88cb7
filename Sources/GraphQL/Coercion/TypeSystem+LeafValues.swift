extension TypeSystem {
    /// Coerces a variable's value to a leaf type (§3.5, §3.9). The value must not be null.
    package func coerced(leaf value: InputValue, to type: DeclaredType) throws(LeafError) -> InputValue {
        guard type.kind == .scalar else { return try enumValue(value, type) }
        switch (type.scalar, value) {
        case (.int, .int(let number)): return .int(try checkedInt(number, "\(number)"))
        case (.int, .double(let number)) where number.isWhole:
            return .int(try checkedInt(Int64(exactly: number), "\(number)"))
        case (.int, _): throw .sentence("Int cannot represent non-integer value: \(value.shortText)")
        case (.float, .int(let number)): return .double(Double(number))
        case (.float, .double(let number)) where number.isFinite: return value
        case (.float, _): throw .sentence("Float cannot represent non numeric value: \(value.shortText)")
        case (.string, .string), (.boolean, .bool), (.id, .string): return value
        case (.string, _): throw .sentence("String cannot represent a non string value: \(value.shortText)")
        case (.boolean, _): throw .sentence("Boolean cannot represent a non boolean value: \(value.shortText)")
        case (.id, .int(let number)): return .string("\(number)")
        case (.id, _): throw .sentence("ID cannot represent value: \(value.shortText)")
        case (.custom(let scalar), _):
            do { return try scalar.coerceInput(value) } catch { throw .reason(error.message) }
        }
    }

    private func enumValue(_ value: InputValue, _ type: DeclaredType) throws(LeafError) -> InputValue {
        guard case .string(let name) = value else {
            throw .sentence("Enum \"\(type.name)\" cannot represent non-string value: \(value.shortText).")
        }
        guard type.enumValue(name) != nil else {
            throw .sentence("Value \"\(name.prefix(100))\" does not exist in \"\(type.name)\" enum.")
        }
        return value
    }
}

extension InputValue {
    /// The text of the value for messages, without elements and without the rest of a long text.
    var shortText: String {
        switch self {
        case .null: "null"
        case .bool(let truth): truth ? "true" : "false"
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): "\"\(text.prefix(100))\(text.utf8.count > 400 ? "…" : "")\""
        case .list(let values): values.isEmpty ? "[]" : "[…]"
        case .object(let object): object.members.isEmpty ? "{}" : "{ … }"
        }
    }
}
