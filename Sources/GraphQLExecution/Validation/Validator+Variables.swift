/// Rules for variables: §5.8.
extension Validator {
    /// Checks the variables that an operation declares.
    mutating func checkVariableDefinitions(_ definitions: [VariableDefinition]) {
        checkUniqueNames(definitions.map(\.variable.name), .duplicateVariableName) {
            "There can be only one variable named \"$\($0)\"."
        }
        for definition in definitions {
            let type = knownType(definition.type.innermost).flatMap { _ in typeSystem.resolved(definition.type) }
            let isInput = type.map { typeSystem.innermost($0).isInput } ?? false
            if type != nil, !isInput {
                report(
                    .nonInputTypeOnVariable,
                    "Variable \"$\(definition.variable.name.value)\" cannot be non-input type "
                        + "\"\(definition.type.printed())\".", [definition.type.span])
            }
            if let value = definition.defaultValue {
                checkInput(value, type: isInput ? type : nil, hasDefault: false)
            }
            checkDirectives(definition.directives, at: .variableDefinition)
        }
    }

    /// Checks that each operation declares exactly the variables that it uses, and that their types fit.
    mutating func checkVariables() {
        assert(operationContents.count == document.document.operations.count, "every operation was walked")
        for (operation, contents) in zip(document.document.operations, operationContents) {
            var usages = contents.usages
            var names: Set<String> = []
            reach(contents, &names) { usages += $0.usages }
            let definitions = Dictionary(operation.variables.map { ($0.variable.name.value, $0) }) { _, last in last }
            for usage in usages {
                if let definition = definitions[usage.variable.name.value] {
                    checkPosition(usage, definition)
                } else {
                    let end = operation.name.map { " by operation \"\($0.value)\"" } ?? ""
                    report(
                        .undefinedVariable, "Variable \"$\(usage.variable.name.value)\" is not defined\(end).",
                        [usage.variable.span, operation.span], names: [usage.variable.name.value], path: usage.path)
                }
            }
            let used = Set(usages.map(\.variable.name.value))
            for definition in operation.variables where !used.contains(definition.variable.name.value) {
                let end = operation.name.map { " in operation \"\($0.value)\"" } ?? ""
                let name = definition.variable.name.value
                report(
                    .unusedVariable, "Variable \"$\(name)\" is never used\(end).", [definition.span], names: [name])
            }
        }
    }

    /// Checks that a variable may be used at a place (§5.8.5).
    private mutating func checkPosition(_ usage: DefinitionContents.VariableUsage, _ definition: VariableDefinition) {
        guard let expected = usage.type, let type = typeSystem.resolved(definition.type) else { return }
        let name = usage.variable.name.value
        if !isAllowed(type, default: definition.defaultValue, at: expected, hasDefault: usage.hasDefault) {
            report(
                .variableTypeMismatch,
                "Variable \"$\(name)\" of type \"\(typeSystem.text(type))\" used in position expecting type "
                    + "\"\(typeSystem.text(expected))\".", [definition.span, usage.variable.span],
                names: [typeSystem.text(type), typeSystem.text(expected)], path: usage.path)
        }
        if let oneOf = usage.oneOf, !type.isNonNull {
            report(
                .oneOfVariable,
                "Variable \"$\(name)\" is of type \"\(typeSystem.text(type))\" but must be non-nullable to be used for "
                    + "OneOf Input Object \"\(oneOf.name)\".", [definition.span, usage.variable.span],
                path: usage.path)
        }
    }

    private func isAllowed(
        _ type: ResolvedType, default defaultValue: Value?, at expected: ResolvedType, hasDefault: Bool
    ) -> Bool {
        guard expected.isNonNull, !type.isNonNull else { return typeSystem.isSubtype(type, of: expected) }
        // Execution deals with a null of the variable if a default value can replace it.
        guard hasDefault || defaultValue.map({ !$0.isNull }) ?? false else { return false }
        return typeSystem.isSubtype(type, of: expected.nullable)
    }
}
