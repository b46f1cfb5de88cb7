internal import TidelogGraphQL
internal import TidelogSchema

extension Lowering {
    /// Checks the `@validate` directives of a field of `model`. The schema keeps their texts.
    func checkValidations(of field: FieldDefinition, _ model: String) throws(SchemaDiagnostic) {
        var kinds: [ValidationRule.Kind] = []
        for (place, directive) in field.directives.enumerated() where directive.name.value == "validate" {
            guard let value = directive.arguments["type"],
                let kind = (value.enumName ?? value.string).flatMap(ValidationRule.Kind.init(rawValue:))
            else { continue }
            let name = field.type.innermost.name.value
            guard field.type.listElement == nil else {
                throw failure(
                    "@validate belongs on a field with one value, and \(model).\(field.name.value) is a list",
                    directive.span)
            }
            guard !kinds.contains(kind) else {
                throw failure("@validate says \(kind.rawValue) of \(model).\(field.name.value) twice", directive.span)
            }
            kinds.append(kind)
            let wanted = kind.isOfNumbers ? ["Int", "Float"] : ["String"]
            guard wanted.contains(name) else {
                throw failure(
                    "\(kind.rawValue) compares \(wanted.joined(separator: " or ")), and \(model).\(field.name.value) is \(name)",
                    value.span)
            }
            try checkValue(directive, kind)
            guard !field.directives.dropFirst(place).contains(where: { $0.name.value == "default" }) else {
                throw failure("@default comes before @validate", directive.span)
            }
        }
    }

    private func checkValue(_ directive: Directive, _ kind: ValidationRule.Kind) throws(SchemaDiagnostic) {
        guard let (value, span) = try text("value", of: directive) else { return }
        do throws(ValidationRule.Problem) { _ = try ValidationRule(kind, value) } catch {
            throw failure(error.reason, span)
        }
    }
}
