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
