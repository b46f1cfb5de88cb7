/// Rules for literals: §5.6. Variables inside literals are noted for the rules of §5.8.
extension Validator {
    /// Checks a literal where a value of `type` is expected. `type` is `nil` if the place itself is wrong.
    mutating func checkInput(_ value: Value, type: ResolvedType?, hasDefault: Bool) {
        noteVariables(value, type, hasDefault: hasDefault, oneOf: nil)
        checkUniqueFields(value)
        if let type { check(value, type) }
    }

    // MARK: Input object field uniqueness

    private mutating func checkUniqueFields(_ value: Value) {
        switch value {
        case .list(let values, _): for element in values { checkUniqueFields(element) }
        case .object(let fields, _):
            var names: [String: Name] = [:]
            for field in fields {
                checkUnique(field.name, .duplicateInputFieldName, among: &names) {
                    "There can be only one input field named \"\($0)\"."
                }
                checkUniqueFields(field.value)
            }
        default: break
        }
    }

    // MARK: Values of correct type

    private mutating func check(_ value: Value, _ type: ResolvedType) {
        switch value {
        case .variable: break
        case .null:
            if type.isNonNull { reportUnexpected(value, type, .null) }
        case .list(let values, _):
            if let element = type.listElement {
                for (index, value) in values.enumerated() { check(value, element, at: .index(index)) }
            } else {
                checkLeaf(value, type.nullable)
            }
        case .object(let fields, _):
            let named = typeSystem.innermost(type)
            if named.kind == .inputObject { check(fields, of: value, named) } else { checkLeaf(value, type) }
        default: checkLeaf(value, type)
        }
    }

    /// Checks a part of a value.
    private mutating func check(_ value: Value, _ type: ResolvedType, at step: GraphQLError.PathElement) {
        argumentPath.append(step)
        check(value, type)
        argumentPath.removeLast()
    }

    private mutating func checkLeaf(_ value: Value, _ type: ResolvedType) {
        let named = typeSystem.innermost(type)
        guard named.isLeaf else { return reportUnexpected(value, type, .noObject) }
        // The result of a custom scalar for a variable is only known when the variable has a value.
        if case .custom = named.scalar, named.kind == .scalar, value.hasVariables { return }
        do {
            _ = try typeSystem.coerced(leaf: value, to: named, variables: [:])
        } catch {
            let mistake = WrongValue.Mistake.leaf(isEnum: named.kind == .enum)
            switch error {
            case .reason(let reason): reportUnexpected(value, type, mistake, reason: reason)
            case .sentence(let message):
                let names = named.enumValues.map(\.name.value)
                let guess = value.enumName.flatMap { suggestion(for: $0, among: names) }
                report(mistake, message, [value.span], value: value, type: named, suggestion: guess)
            }
        }
    }

    private mutating func reportUnexpected(
        _ value: Value, _ type: ResolvedType, _ mistake: WrongValue.Mistake, reason: String? = nil
    ) {
        let end = reason.map { "; \($0)" } ?? "."
        report(
            mistake, "Expected value of type \"\(typeSystem.text(type))\", found \(value.shortText)\(end)",
            [value.span], value: value, type: typeSystem.innermost(type))
    }

    /// Reports that `value` does not fit `type`.
    private mutating func report(
        _ mistake: WrongValue.Mistake, _ message: String, _ spans: [SourceSpan], value: Value, type: DeclaredType,
        suggestion: String? = nil
    ) {
        var place = ""
        for step in argumentPath {
            switch step {
            case .field(let name): place += place.isEmpty ? name : ".\(name)"
            case .index(let index): place += "[\(index)]"
            }
        }
        // The default value of a variable has no place among the arguments.
        let wrong = WrongValue(.literal(value), mistake, type: type.name, place: place)
        report(.wrongType, message, spans, value: place.isEmpty ? nil : wrong, suggestion: suggestion)
    }

    private mutating func check(_ fields: [Value.ObjectField], of value: Value, _ type: DeclaredType) {
        let given = Dictionary(fields.map { ($0.name.value, $0.value) }) { _, last in last }
        let missing = type.inputFields.filter { $0.isRequired && given[$0.name] == nil }
        for field in missing {
            report(
                .missingFields(missing.map(\.name)),
                "Field \"\(type.name).\(field.name)\" of required type \"\(typeSystem.text(field.type))\" was not "
                    + "provided.", [value.span], value: value, type: type)
        }
        if type.isOneOf {
            if given.count != 1 {
                report(.wrongType, "OneOf Input Object \"\(type.name)\" must specify exactly one key.", [value.span])
            } else if let only = given.first, only.value.isNull {
                report(.wrongType, "Field \"\(type.name).\(only.key)\" must be non-null.", [value.span])
            }
        }
        for field in fields {
            if let declared = type.inputField(field.name.value) {
                check(field.value, declared.type, at: .field(field.name.value))
            } else {
                let guess = suggestion(for: field.name.value, among: type.inputFields.map(\.name))
                report(
                    .unknownField(field.name.value),
                    "Field \"\(field.name.value)\" is not defined by type \"\(type.name)\".", [field.span],
                    value: value, type: type, suggestion: guess)
            }
        }
    }

    // MARK: Usages of variables

    private mutating func noteVariables(
        _ value: Value, _ type: ResolvedType?, hasDefault: Bool, oneOf: DeclaredType?
    ) {
        switch value {
        case .variable(let variable):
            contents.usages.append(
                .init(variable: variable, type: type, hasDefault: hasDefault, oneOf: oneOf, path: path))
        case .list(let values, _):
            let element = type.map { $0.listElement ?? $0.nullable }
            for value in values { noteVariables(value, element, hasDefault: false, oneOf: nil) }
        case .object(let fields, _):
            let named = type.map { typeSystem.innermost($0) }
            let oneOf = named.flatMap { $0.isOneOf ? $0 : nil }
            for field in fields {
                let declared = named?.inputField(field.name.value)
                noteVariables(field.value, declared?.type, hasDefault: declared?.defaultValue != nil, oneOf: oneOf)
            }
        default: break
        }
    }
}

// MARK: - Arguments and directives

/// Rules for arguments and directives: §5.4, §5.7.
extension Validator {
    /// Checks the arguments of a field or a directive. `declared` is `nil` if the field or directive is unknown.
    mutating func check(
        _ arguments: [Argument], against declared: [DeclaredInput]?, unknown: (String) -> String,
        missing: (String, String) -> String, owner: SourceSpan, isOfDirective: Bool = false
    ) {
        checkUniqueNames(arguments.map(\.name), .duplicateArgumentNames) {
            "There can be only one argument named \"\($0)\"."
        }
        for argument in arguments {
            let name = argument.name.value
            let input = declared?.first { $0.name == name }
            if let declared, input == nil {
                let guess = suggestion(for: name, among: declared.map(\.name))
                report(.unknownArgument, unknown(name), [argument.span], names: [name], suggestion: guess)
            }
            argumentPath = [.field(name)]
            checkInput(argument.value, type: input?.type, hasDefault: input?.defaultValue != nil)
            argumentPath = []
        }
        for input in declared ?? [] where input.isRequired {
            guard !arguments.contains(where: { $0.name.value == input.name }) else { continue }
            report(
                isOfDirective ? .missingDirectiveArgument : .missingFieldArgument,
                missing(input.name, typeSystem.text(input.type)), [owner], names: [input.name])
        }
    }

    /// Checks that names are unique. Names that repeat are reported together.
    mutating func checkUniqueNames(_ names: [Name], _ kind: RuleViolation.Kind, _ message: (String) -> String) {
        guard names.count > 1 else { return }
        let groups = Dictionary(grouping: names, by: \.value)
        guard groups.count < names.count else { return }
        var reported: Set<String> = []
        for name in names {
            guard let group = groups[name.value], group.count > 1, reported.insert(name.value).inserted else {
                continue
            }
            report(kind, message(name.value), group.map(\.span))
        }
    }

    /// Checks directives. They must be known, be allowed here, not repeat, and have valid arguments.
    mutating func checkDirectives(_ directives: [Directive], at location: DirectiveDefinition.Location) {
        var known: [String: Directive] = [:]
        for directive in directives {
            let name = directive.name.value
            guard let declared = typeSystem.directive(name) else {
                report(.unknownDirective, "Unknown directive \"@\(name)\".", [directive.span], names: [name])
                check(
                    directive.arguments, against: nil, unknown: { $0 }, missing: { name, _ in name },
                    owner: directive.span)
                continue
            }
            if !declared.locations.contains(location) {
                report(
                    .misplacedDirective, "Directive \"@\(name)\" may not be used on \(location.rawValue).",
                    [directive.span])
            }
            if declared.isRepeatable {
                // The directive may repeat here.
            } else if let first = known[name] {
                report(
                    .duplicateDirectiveName, "The directive \"@\(name)\" can only be used once at this location.",
                    [first.span, directive.span])
            } else {
                known[name] = directive
            }
            check(
                directive.arguments, against: declared.arguments,
                unknown: { "Unknown argument \"\($0)\" on directive \"@\(name)\"." },
                missing: {
                    "Directive \"@\(name)\" argument \"\($0)\" of type \"\($1)\" is required, but it was not provided."
                }, owner: directive.span, isOfDirective: true)
        }
    }
}
