extension TypeSystemCheck {
    /// Checks the directives of a definition. They must be known, be allowed here, not repeat, and have valid arguments.
    mutating func checkDirectives(_ directives: [Directive], at location: DirectiveLocation) {
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

extension DeclaredType.Kind {
    /// The location of directives on types of this kind.
    var location: DirectiveLocation {
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
