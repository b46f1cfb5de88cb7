internal import TidelogGraphQL

extension Lowering {
    /// Checks the `@validate` directives of a field of `model`. The schema keeps the directives for the server.
    func checkValidations(of field: FieldDefinition, _ model: String) throws(SchemaDiagnostic) {
        var kinds: [String] = []
        for (place, directive) in field.directives.enumerated() where directive.name.value == "validate" {
            guard let value = directive.arguments["type"], let kind = value.enumName ?? value.string else { continue }
            let name = field.type.innermost.name.value
            guard field.type.listElement == nil else {
                throw failure(
                    "@validate belongs on a field with one value, and \(model).\(field.name.value) is a list",
                    directive.span)
            }
            guard !kinds.contains(kind) else {
                throw failure("@validate says \(kind) of \(model).\(field.name.value) twice", directive.span)
            }
            kinds.append(kind)
            let wanted = Vocabulary.numberValidations.contains(kind) ? ["Int", "Float"] : ["String"]
            guard wanted.contains(name) else {
                throw failure(
                    "\(kind) compares \(wanted.joined(separator: " or ")), and \(model).\(field.name.value) is \(name)",
                    value.span)
            }
            try checkBound(directive, kind)
            guard !field.directives.dropFirst(place).contains(where: { $0.name.value == "default" }) else {
                throw failure("@default comes before @validate", directive.span)
            }
        }
    }

    private func checkBound(_ directive: Directive, _ kind: String) throws(SchemaDiagnostic) {
        guard let (bound, span) = try text("value", of: directive) else { return }
        if Vocabulary.lengthValidations.contains(kind), UInt32(bound) == nil {
            throw failure("the bound of \(kind) must be a whole number from 0 on", span)
        }
        if Vocabulary.numberValidations.contains(kind), Double(bound)?.isFinite != true {
            throw failure("the bound of \(kind) must be a number", span)
        }
    }
}
