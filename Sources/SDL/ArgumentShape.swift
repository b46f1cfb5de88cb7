internal import TidelogGraphQL
internal import TidelogSuggestion

/// The shape of a directive's argument value. `null` fits every shape, unless the argument is required.
indirect enum ArgumentShape: Sendable {
    case any
    case text
    /// A list of texts. A single text counts as a list with one element.
    case texts
    /// One of these names, like an enum case.
    case choice([String])
    case list(ArgumentShape)
    /// An object with these fields. `replaced` has the fields of version 1 of the transformer, and the fields to write instead.
    case object([String: ArgumentShape], needs: [String] = [], replaced: [String: String] = [:])
}

extension Lowering {
    /// Checks that `directive` has only arguments of its rule, and has all required arguments.
    func checkArguments(of directive: Directive, _ rule: Vocabulary.Rule) throws(SchemaDiagnostic) {
        let name = directive.name.value
        for argument in directive.arguments {
            guard let shape = rule.arguments[argument.name.value] else {
                throw failure(
                    "@\(name) has no argument \"\(argument.name.value)\"", argument.span,
                    Suggestion.didYouMean(argument.name.value, among: rule.arguments.keys.sorted()))
            }
            guard directive.arguments.first(named: argument.name.value)?.span == argument.span else {
                throw failure("@\(name) has two arguments \"\(argument.name.value)\"", argument.span)
            }
            try check(argument.value, shape, "\"\(argument.name.value)\" of @\(name)")
        }
        for need in rule.needs where directive.arguments[need]?.isNull ?? true {
            throw failure("@\(name) needs \"\(need)\"", directive.span)
        }
    }

    /// Checks that `value` has the shape `shape`. `place` describes the value in messages.
    func check(_ value: Value, _ shape: ArgumentShape, _ place: String) throws(SchemaDiagnostic) {
        guard !value.isNull else { return }
        switch shape {
        case .any: break
        case .text:
            guard value.string != nil else { throw failure("\(place) must be a string", value.span) }
        case .texts:
            for element in value.elements ?? [value] where element.string == nil {
                throw failure("\(place) must be a list of strings", element.span)
            }
        case .choice(let names):
            guard let name = value.enumName ?? value.string else {
                throw failure("\(place) must be one of \(names.joined(separator: ", "))", value.span)
            }
            guard names.contains(name) else {
                throw failure(
                    "\(place) cannot be \(name), only \(names.joined(separator: ", "))", value.span,
                    Suggestion.didYouMean(name, among: names))
            }
        case .list(let element):
            for value in value.elements ?? [value] { try check(value, element, place) }
        case .object(let shapes, let needs, let replaced):
            try checkFields(of: value, shapes, needs: needs, replaced: replaced, place)
        }
    }

    private func checkFields(
        of value: Value, _ shapes: [String: ArgumentShape], needs: [String], replaced: [String: String],
        _ place: String
    ) throws(SchemaDiagnostic) {
        guard let fields = value.fields else { throw failure("\(place) must be an object", value.span) }
        for field in fields {
            let name = field.name.value
            guard let shape = shapes[name] else {
                if let replacement = replaced[name] {
                    throw failure(
                        "\"\(name)\" in \(place) belongs to version 1 of the transformer", field.span,
                        "use \"\(replacement)\"")
                }
                throw failure(
                    "\(place) has no \"\(name)\"", field.span,
                    Suggestion.didYouMean(name, among: shapes.keys.sorted()))
            }
            try check(field.value, shape, "\"\(name)\" in \(place)")
        }
        for need in needs where value[need]?.isNull ?? true {
            throw failure("\(place) needs \"\(need)\"", value.span)
        }
    }
}
