internal import TidelogCore
internal import TidelogGraphQL

extension Lowering {
    /// Checks that every directive is known, stands where it may, and has no argument that it does not take.
    func check(_ directives: [Directive], at place: Vocabulary.Place) throws(SchemaDiagnostic) {
        for directive in directives {
            let name = directive.name.value
            if let replacement = Vocabulary.replaced[name] {
                throw failure("@\(name) belongs to version 1 of the transformer", directive.span, replacement)
            }
            guard let rule = Vocabulary.interpreted[name] ?? Vocabulary.kept[name] else {
                if ownDirectives.contains(name) { continue }
                let known = Vocabulary.interpreted.keys.sorted() + Vocabulary.kept.keys.sorted()
                throw failure(
                    "unknown directive @\(name)", directive.span,
                    Suggestion.didYouMean("@\(name)", among: known.map { "@\($0)" }))
            }
            guard rule.places.contains(where: { $0 == place }) else {
                throw failure("@\(name) belongs on a \(rule.places.map(\.rawValue).joined())", directive.span)
            }
            guard name == "index" || directives.all(named: name).count == 1 || rule.arguments == nil else {
                let second = directives.all(named: name)[1]
                throw failure("@\(name) stands here twice", second.span)
            }
            guard let known = rule.arguments else { continue }
            for argument in directive.arguments where !known.contains(argument.name.value) {
                throw failure(
                    "@\(name) has no argument \"\(argument.name.value)\"", argument.span,
                    Suggestion.didYouMean(argument.name.value, among: known))
            }
        }
    }

    /// The directives that are kept, as text.
    func kept(_ directives: [Directive]) -> [String] {
        directives.filter { Vocabulary.interpreted[$0.name.value] == nil }.map { $0.printed() }
    }

    /// The text that an argument gives, `nil` where it is left out or `null`.
    func text(_ name: String, of directive: Directive) throws(SchemaDiagnostic) -> (text: String, span: SourceSpan)? {
        guard let value = directive.arguments[name], !value.isNull else { return nil }
        guard let text = value.string else {
            throw failure("\"\(name)\" of @\(directive.name.value) must be a string", value.span)
        }
        return (text, value.span)
    }

    /// The texts that an argument gives, one standing for a list of one; `nil` where it is left out or `null`.
    func texts(
        _ name: String, of directive: Directive
    ) throws(SchemaDiagnostic) -> [(text: String, span: SourceSpan)]? {
        guard let value = directive.arguments[name], !value.isNull else { return nil }
        var texts: [(text: String, span: SourceSpan)] = []
        for element in value.elements ?? [value] {
            guard let text = element.string else {
                throw failure("\"\(name)\" of @\(directive.name.value) must be a list of strings", element.span)
            }
            texts.append((text, element.span))
        }
        return texts
    }

    /// The limit that a relation gives.
    func limit(of directive: Directive) throws(SchemaDiagnostic) -> UInt32? {
        guard let value = directive.arguments["limit"], !value.isNull else { return nil }
        guard let number = value.int, let limit = UInt32(exactly: number), limit > 0 else {
            throw failure("\"limit\" of @\(directive.name.value) must be a whole number above 0", value.span)
        }
        return limit
    }

    /// The field of `model` that an argument names, which must hold one ordered value.
    func orderedField(
        _ name: String, of model: ModelSchema, at span: SourceSpan
    ) throws(SchemaDiagnostic) -> FieldSchema {
        guard let field = model.field(named: name) else {
            throw failure(
                "\(model.name) has no field \"\(name)\"", span,
                Suggestion.didYouMean(name, among: model.fields.map(\.name)))
        }
        guard field.type.isOrdered else {
            throw failure("\(model.name).\(name) is a list or an object and cannot be part of a key", span)
        }
        return field
    }
}
