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
