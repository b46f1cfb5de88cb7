extension TypeSystem {
    /// Converts a resolved value of a leaf type to a response value (§3.5, §3.9). The value must not be null.
    func result(leaf value: ResponseValue, of type: DeclaredType) throws(LeafError) -> ResponseValue {
        guard type.kind == .scalar else {
            guard case .string(let name) = value, type.enumValue(name) != nil else {
                throw .sentence("Enum \"\(type.name)\" cannot represent value: \(value.shortText)")
            }
            return value
        }
        switch (type.scalar, value) {
        case (.string, .string), (.id, .string), (.boolean, .bool): return value
        case (.int, .int(let number)):
            return isIntStrict ? .int(try checkedInt(number, "\(number)")) : value
        case (.float, .double(let number)) where number.isFinite: return value
        default: return try converted(value, of: type)
        }
    }

    /// Converts values of an unusual kind, if the conversion loses nothing.
    private func converted(_ value: ResponseValue, of type: DeclaredType) throws(LeafError) -> ResponseValue {
        switch (type.scalar, value) {
        case (.custom(let scalar), _):
            do { return try scalar.coerceOutput(value) } catch { throw .reason(error.message) }
        case (.int, .bool(let truth)): return .int(truth ? 1 : 0)
        case (.int, .double(let number)) where number.isWhole:
            return .int(try checkedInt(Int64(exactly: number), "\(number)"))
        case (.int, _): throw .sentence("Int cannot represent non-integer value: \(value.shortText)")
        case (.float, .int(let number)): return .double(Double(number))
        case (.float, .bool(let truth)): return .double(truth ? 1 : 0)
        case (.float, _): throw .sentence("Float cannot represent non numeric value: \(value.shortText)")
        case (.string, .bool(let truth)): return .string(truth ? "true" : "false")
        case (.string, .int(let number)), (.id, .int(let number)): return .string("\(number)")
        case (.string, .double(let number)) where number.isFinite: return .string("\(number)")
        case (.string, _): throw .sentence("String cannot represent value: \(value.shortText)")
        case (.boolean, .int(let number)): return .bool(number != 0)
        case (.boolean, .double(let number)) where number.isFinite: return .bool(number != 0)
        case (.boolean, _): throw .sentence("Boolean cannot represent a non boolean value: \(value.shortText)")
        case (.id, _): throw .sentence("ID cannot represent value: \(value.shortText)")
        }
    }
}

extension ResponseValue {
    /// The text of the value for messages, without elements and without the rest of a long text.
    var shortText: String {
        switch self {
        case .null: "null"
        case .bool(let truth): truth ? "true" : "false"
        case .int(let number): "\(number)"
        case .double(let number): "\(number)"
        case .string(let text): "\"\(text.prefix(100))\(text.utf8.count > 400 ? "…" : "")\""
        case .list(let values): values.isEmpty ? "[]" : "[…]"
        case .object(let object): object.names.isEmpty ? "{}" : "{ … }"
        }
    }
}
