/// Checks a type system in which all names are resolved (§3.3 … §3.13). Execution relies on these checks.
struct TypeSystemCheck {
    let typeSystem: TypeSystem
    private var problems: [TypeSystemError.Problem] = []

    init(typeSystem: TypeSystem) { self.typeSystem = typeSystem }

    /// Throws all problems of the type system.
    mutating func run() throws(TypeSystemError) {
        checkRoots()
        checkDirectives(typeSystem.schemaDirectives, at: .schema)
        for type in typeSystem.types { check(type) }
        for directive in typeSystem.directives {
            checkInputs(directive.arguments, of: "@\(directive.name)", kind: "argument", at: .argumentDefinition)
        }
        guard problems.isEmpty else { throw TypeSystemError(problems: problems) }
    }

    mutating func report(_ message: String, _ span: SourceSpan) {
        problems.append(TypeSystemError.Problem(message: message, span: span))
    }

    private mutating func checkRoots() {
        if typeSystem.rootType(.query) == nil { report("Query root type must be provided.", .none) }
        for operation in OperationType.allCases {
            guard let type = typeSystem.rootType(operation), type.kind != .object else { continue }
            report(
                "The \(operation.rawValue) root type must be Object type, it cannot be \(type.name).",
                type.definition.span)
        }
    }

    private mutating func check(_ type: DeclaredType) {
        checkDirectives(type.directives, at: type.kind.location)
        let span = type.definition.name.span
        switch type.kind {
        case .scalar: break
        case .object, .interface:
            if type.fields.isEmpty { report("Type \(type.name) must define one or more fields.", span) }
            checkFields(type)
            checkInterfaces(type)
        case .union:
            if type.possibleTypes.isEmpty { report("Union type \(type.name) must define one or more members.", span) }
            checkMembers(type)
        case .enum:
            if type.enumValues.isEmpty { report("Enum type \(type.name) must define one or more values.", span) }
            checkUnique(type.enumValues.map(\.name), "Enum value", of: type.name)
            for value in type.enumValues { checkDirectives(value.directives, at: .enumValue) }
        case .inputObject:
            if type.inputFields.isEmpty {
                report("Input Object type \(type.name) must define one or more fields.", span)
            }
            checkInputs(type.inputFields, of: type.name, kind: "field", at: .inputFieldDefinition)
            checkCircle(type)
        }
    }

    private mutating func checkFields(_ type: DeclaredType) {
        checkUnique(type.fields.map { $0.definition.name }, "Field", of: type.name)
        for field in type.fields {
            let place = "\(type.name).\(field.name)"
            if !typeSystem.innermost(field.type).isOutput {
                report(
                    "The type of \(place) must be Output Type but got: \(typeSystem.text(field.type)).",
                    field.definition.type.span)
            }
            checkDirectives(field.directives, at: .fieldDefinition)
            checkInputs(field.arguments, of: place, kind: "argument", at: .argumentDefinition)
        }
    }

    private mutating func checkInputs(
        _ inputs: [DeclaredInput], of place: String, kind: String, at location: DirectiveDefinition.Location
    ) {
        checkUnique(inputs.map { $0.definition.name }, kind == "field" ? "Field" : "Argument", of: place)
        for input in inputs {
            let type = typeSystem.innermost(input.type)
            let span = input.definition.span
            checkDirectives(input.directives, at: location)
            guard type.isInput else {
                report(
                    "The type of \(place) \(kind) \(input.name) must be Input Type but got: "
                        + "\(typeSystem.text(input.type)).", input.definition.type.span)
                continue
            }
            if input.isRequired, input.directives.first(named: "deprecated") != nil {
                report("Required \(kind) \(place) \(input.name) cannot be deprecated.", span)
            }
            guard let value = input.defaultValue else { continue }
            if typeSystem.coerced(value, to: input.type, variables: [:]) == nil {
                report("\(place) \(kind) \(input.name) has an invalid default value: \(value.printed()).", value.span)
            }
        }
    }

    private mutating func checkUnique(_ names: [Name], _ what: String, of place: String) {
        var seen: Set<String> = []
        for name in names {
            if !seen.insert(name.value).inserted {
                report("\(what) \"\(place).\(name.value)\" can only be defined once.", name.span)
            }
            if name.value.hasPrefix("__"), place.first != "_" {
                report(
                    "Name \"\(name.value)\" must not begin with \"__\", which is reserved by introspection.",
                    name.span)
            }
        }
    }

    private mutating func checkMembers(_ type: DeclaredType) {
        var seen: Set<Int> = []
        for member in type.possibleTypes {
            let name = typeSystem.types[member].name
            if typeSystem.types[member].kind != .object {
                report(
                    "Union type \(type.name) can only include Object types, it cannot include \(name).",
                    type.definition.span)
            }
            if !seen.insert(member).inserted {
                report("Union type \(type.name) can only include type \(name) once.", type.definition.span)
            }
        }
    }

    /// Checks that values of the type can be finite: the type must not require a value of itself inside itself (§3.10).
    private mutating func checkCircle(_ type: DeclaredType) {
        var pending = [type.number]
        var seen: Set<Int> = []
        while let number = pending.popLast() {
            for field in typeSystem.types[number].inputFields {
                guard case .nonNull(.named(let inner)) = field.type,
                    typeSystem.types[inner].kind == .inputObject
                else { continue }
                if inner == type.number {
                    return report(
                        "Cannot reference Input Object \"\(type.name)\" within itself through a series of "
                            + "non-null fields.", type.definition.name.span)
                }
                if seen.insert(inner).inserted { pending.append(inner) }
            }
        }
    }
}

// MARK: - Interfaces

extension TypeSystemCheck {
    /// Checks that a type has all parts that its interfaces require (§3.6, IsValidImplementation).
    mutating func checkInterfaces(_ type: DeclaredType) {
        var seen: Set<Int> = []
        let span = type.definition.span
        for number in type.interfaces {
            let interface = typeSystem.types[number]
            guard interface.kind == .interface else {
                report(
                    "Type \(type.name) must only implement Interface types, it cannot implement "
                        + "\(interface.name).", span)
                continue
            }
            if number == type.number {
                report("Type \(type.name) cannot implement itself because it would create a circular reference.", span)
                continue
            }
            if !seen.insert(number).inserted {
                report("Type \(type.name) can only implement \(interface.name) once.", span)
                continue
            }
            for transitive in interface.interfaces where !type.interfaces.contains(transitive) {
                report(
                    "Type \(type.name) must implement \(typeSystem.types[transitive].name) because it is "
                        + "implemented by \(interface.name).", span)
            }
            for field in interface.fields { check(field, of: interface, in: type) }
        }
    }

    private mutating func check(_ promised: DeclaredField, of interface: DeclaredType, in type: DeclaredType) {
        let place = "\(interface.name).\(promised.name)"
        guard let field = type.field(promised.name) else {
            return report(
                "Interface field \(place) expected but \(type.name) does not provide it.",
                type.definition.name.span)
        }
        let own = "\(type.name).\(field.name)"
        if !typeSystem.isSubtype(field.type, of: promised.type) {
            report(
                "Interface field \(place) expects type \(typeSystem.text(promised.type)) but \(own) is type "
                    + "\(typeSystem.text(field.type)).", field.definition.type.span)
        }
        for argument in promised.arguments {
            guard let ownArgument = field.argument(argument.name) else {
                report(
                    "Interface field argument \(place)(\(argument.name):) expected but \(own) does not provide it.",
                    field.definition.span)
                continue
            }
            if ownArgument.type != argument.type {
                report(
                    "Interface field argument \(place)(\(argument.name):) expects type "
                        + "\(typeSystem.text(argument.type)) but \(own)(\(argument.name):) is type "
                        + "\(typeSystem.text(ownArgument.type)).", ownArgument.definition.type.span)
            }
        }
        for argument in field.arguments where argument.isRequired && promised.argument(argument.name) == nil {
            report(
                "Argument \"\(own)(\(argument.name):)\" must not be required type "
                    + "\"\(typeSystem.text(argument.type))\" if not provided by the Interface field \"\(place)\".",
                argument.definition.span)
        }
    }
}

// MARK: - Directives

extension TypeSystemCheck {
    /// Checks the directives of a definition. They must be known, be allowed here, not repeat, and have valid arguments.
    mutating func checkDirectives(_ directives: [Directive], at location: DirectiveDefinition.Location) {
        var seen: Set<String> = []
        for directive in directives {
            let name = directive.name.value
            guard let declared = typeSystem.directive(name) else {
                report("Unknown directive \"@\(name)\".", directive.span)
                continue
            }
            if !declared.locations.contains(location) {
                report("Directive \"@\(name)\" may not be used on \(location.rawValue).", directive.span)
            }
            if !seen.insert(name).inserted, !declared.isRepeatable {
                report("The directive \"@\(name)\" can only be used once at this location.", directive.span)
            }
            check(directive, declared)
        }
    }

    private mutating func check(_ directive: Directive, _ declared: DeclaredDirective) {
        var given: Set<String> = []
        for argument in directive.arguments {
            let name = argument.name.value
            guard let input = declared.arguments.first(where: { $0.name == name }) else {
                report("Unknown argument \"\(name)\" on directive \"@\(declared.name)\".", argument.span)
                continue
            }
            if !given.insert(name).inserted {
                report("There can be only one argument named \"\(name)\".", argument.span)
            }
            if typeSystem.coerced(argument.value, to: input.type, variables: [:]) == nil {
                report(
                    "Argument \"\(name)\" of directive \"@\(declared.name)\" has invalid value "
                        + "\(argument.value.printed()).", argument.value.span)
            }
        }
        for input in declared.arguments where input.isRequired && !given.contains(input.name) {
            report(
                "Directive \"@\(declared.name)\" argument \"\(input.name)\" of type "
                    + "\"\(typeSystem.text(input.type))\" is required, but it was not provided.", directive.span)
        }
    }
}

extension TypeDefinition.Kind {
    /// The location of directives on types of this kind.
    var location: DirectiveDefinition.Location {
        switch self {
        case .scalar: .scalar
        case .object: .object
        case .interface: .interface
        case .union: .union
        case .enum: .enum
        case .inputObject: .inputObject
        }
    }
}
