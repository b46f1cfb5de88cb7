extension TypeSystem {
    /// Coerces a literal to an input type (§6.4.1); `nil` if the literal is not valid, or is a variable without a value.
    func coerced(_ literal: Value, to type: ResolvedType, variables: [String: InputValue]) -> InputValue? {
        if case .variable(let node) = literal {
            guard let value = variables[node.name.value], !value.isNull || !type.isNonNull else { return nil }
            return value
        }
        if literal.isNull { return type.isNonNull ? nil : .null }
        if let element = type.listElement { return coerced(list: literal, of: element, variables) }
        let named = innermost(type)
        if named.kind == .inputObject { return coerced(object: literal, to: named, variables) }
        return try? coerced(leaf: literal, to: named, variables: variables)
    }

    private func coerced(
        list literal: Value, of element: ResolvedType, _ variables: [String: InputValue]
    ) -> InputValue? {
        guard let elements = literal.elements else {
            return coerced(literal, to: element, variables: variables).map { .list([$0]) }
        }
        var values: [InputValue] = []
        values.reserveCapacity(elements.count)
        for literal in elements {
            if let name = literal.variableName, variables[name] == nil {
                // A variable without a value is null inside a list.
                if element.isNonNull { return nil }
                values.append(.null)
            } else {
                guard let value = coerced(literal, to: element, variables: variables) else { return nil }
                values.append(value)
            }
        }
        return .list(values)
    }

    private func coerced(
        object literal: Value, to type: DeclaredType, _ variables: [String: InputValue]
    ) -> InputValue? {
        guard let fields = literal.fields else { return nil }
        let given = Dictionary(fields.map { ($0.name.value, $0.value) }) { first, _ in first }
        guard given.keys.allSatisfy({ type.inputField($0) != nil }) else { return nil }
        var object = InputObject()
        for field in type.inputFields {
            var literal = given[field.name]
            if let name = literal?.variableName, variables[name] == nil { literal = nil }
            guard let literal = literal ?? field.defaultValue else {
                if field.type.isNonNull { return nil }
                continue
            }
            guard let value = coerced(literal, to: field.type, variables: variables) else { return nil }
            object.members.append(.init(name: field.name, value: value))
        }
        if type.isOneOf, object.members.count != 1 || object.members[0].value.isNull { return nil }
        return .object(object)
    }
}

// MARK: - Literals of leaf types

extension TypeSystem {
    /// Coerces a literal to a leaf type (§3.5, §3.9). Only literals of custom scalars may contain variables.
    func coerced(
        leaf literal: Value, to type: DeclaredType, variables: [String: InputValue]
    ) throws(LeafError) -> InputValue {
        guard type.kind == .scalar else { return try enumValue(literal, type) }
        switch type.scalar {
        case .int:
            guard case .int(let text, _) = literal else {
                throw .sentence("Int cannot represent non-integer value: \(literal.shortText)")
            }
            return .int(try checkedInt(Int64(text), literal.shortText))
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
            case .int(let text, _): return .string(text)
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
        case .variable(let variable): variables[variable.name.value] ?? .null
        case .int(let text, _): Int64(text).map { .int($0) } ?? .double(Double(text) ?? .infinity)
        case .float(let text, _): .double(Double(text) ?? .infinity)
        case .string(let node): .string(node.value)
        case .boolean(let isTrue, _): .bool(isTrue)
        case .null: .null
        case .enum(let name): .string(name.value)
        case .list(let values, _): .list(values.map { $0.untyped(variables) })
        case .object(let fields, _):
            .object(InputObject(fields.map { .init(name: $0.name.value, value: $0.value.untyped(variables)) }))
        }
    }

    /// Whether the value contains a variable.
    var hasVariables: Bool {
        switch self {
        case .variable: true
        case .list(let values, _): values.contains { $0.hasVariables }
        case .object(let fields, _): fields.contains { $0.value.hasVariables }
        default: false
        }
    }
}

// MARK: - Values of variables of leaf types

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

// MARK: - Results of leaf types

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

extension TypeSystem {
    /// The reason why a value is not valid for a leaf type.
    package enum LeafError: Error {
        /// A complete sentence that names the type.
        case sentence(String)
        /// The reason from a custom scalar. The sentence around it depends on the origin of the value.
        case reason(String)

        /// The message for a value that a resolver returned.
        package var message: String {
            switch self {
            case .sentence(let message), .reason(let message): message
            }
        }
    }

    /// Checks that a whole number is in the range of `Int`.
    func checkedInt(_ value: Int64?, _ text: @autoclosure () -> String) throws(LeafError) -> Int64 {
        guard let value, !isIntStrict || Int32(exactly: value) != nil else {
            let bits = isIntStrict ? 32 : 64
            throw .sentence("Int cannot represent non \(bits)-bit signed integer value: \(text())")
        }
        return value
    }
}

extension Double {
    /// Whether the number is finite and has no fraction. Every finite number beyond 2⁵³ has none.
    var isWhole: Bool { isFinite && (magnitude >= 0x1p53 || Int64(exactly: self) != nil) }
}
