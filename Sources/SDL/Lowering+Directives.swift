internal import TidelogGraphQL
internal import TidelogSchema
internal import TidelogSuggestion

extension Lowering {
    /// Checks that every directive is known, is allowed at this place, and has valid arguments.
    func check(_ directives: [Directive], at place: Vocabulary.Place) throws(SchemaDiagnostic) {
        for directive in directives {
            let name = directive.name.value
            guard let rule = Vocabulary.interpreted[name] ?? Vocabulary.kept[name] else {
                if ownDirectives.contains(name) { continue }
                if let replacement = replacement(of: directive) {
                    throw failure("@\(name) belongs to version 1 of the transformer", directive.span, replacement)
                }
                let known = Vocabulary.interpreted.keys.sorted() + Vocabulary.kept.keys.sorted()
                throw failure(
                    "unknown directive @\(name)", directive.span,
                    Suggestion.didYouMean("@\(name)", among: known.map { "@\($0)" }))
            }
            guard rule.places.contains(where: { $0 == place }) else {
                let places = rule.places.map(\.rawValue).joined(separator: " or a ")
                throw failure("@\(name) belongs on a \(places)", directive.span)
            }
            guard rule.isRepeatable || directives.all(named: name).count == 1 else {
                throw failure("@\(name) stands here twice", directives.all(named: name)[1].span)
            }
            try checkArguments(of: directive, rule)
        }
    }

    /// Checks the directives on every type, and on the fields of types that are not models. Without this check, a typing error
    /// could silently change a model into another kind of type.
    func checkTypeDirectives() throws(SchemaDiagnostic) {
        for definition in document.typeDefinitions {
            guard case .object(let type) = definition else {
                try checkNames(of: definition)
                continue
            }
            guard types[type.name.value] != nil else {
                for field in type.fields { try check(field.directives, at: .operation) }
                try checkTwice(type)
                continue
            }
            try check(type.directives, at: .type)
            guard !isModel(type.name.value) else { continue }
            if let directive = type.directives.first(where: { Vocabulary.forModels.contains($0.name.value) }) {
                throw noModel(type.name.value, directive, "a model")
            }
            for field in type.fields {
                try check(field.directives, at: .field)
                if let directive = field.directives.first(where: { Vocabulary.interpreted[$0.name.value] != nil }) {
                    throw noModel(type.name.value, directive, "a field of a model")
                }
                if let directive = field.directives.first(named: "validate") {
                    throw noModel(type.name.value, directive, "a field of a model")
                }
            }
        }
    }

    private func noModel(_ type: String, _ directive: Directive, _ place: String) -> SchemaDiagnostic {
        failure(
            "@\(directive.name.value) belongs on \(place), and \(type) is none", directive.span,
            "add \"@model\" to \(type)")
    }

    /// Checks the directives on a type that is not an object type.
    private func checkNames(of type: TypeDefinition) throws(SchemaDiagnostic) {
        if let directive = type.directives.first(where: { Vocabulary.interpreted[$0.name.value] != nil }) {
            throw failure("@\(directive.name.value) belongs on an object type or its fields", directive.span)
        }
        guard case .enum(let type) = type else { return }
        for value in type.values { try check(value.directives, at: .enumCase) }
    }

    private func checkTwice(_ type: ObjectTypeDefinition) throws(SchemaDiagnostic) {
        var names = Set<String>()
        for field in type.fields where !names.insert(field.name.value).inserted {
            throw failure("the field \(type.name.value).\(field.name.value) is declared twice", field.name.span)
        }
    }

    /// Checks that no two models have the same mapped name, and that no mapped name is the name of another type.
    func checkMappedNames() throws(SchemaDiagnostic) {
        var owners: [String: String] = [:]
        for type in objectTypes {
            guard let directive = type.directives.first(named: "mapsTo"),
                let (name, span) = try text("name", of: directive)
            else { continue }
            let model = type.name.value
            guard types[name] == nil || name == model else {
                throw failure(
                    "\(model) maps to \"\(name)\", which is the name of another type", span,
                    "rename the type \(name)")
            }
            if let owner = owners.updateValue(model, forKey: name) {
                throw failure("\(model) and \(owner) both map to \"\(name)\"", span)
            }
        }
    }

    /// The directives that the schema keeps as text.
    func kept(_ directives: [Directive]) -> [String] {
        directives.filter { Vocabulary.interpreted[$0.name.value] == nil }.map { $0.printed() }
    }

    /// The text of an argument; `nil` if the argument is missing or `null`.
    func text(_ name: String, of directive: Directive) throws(SchemaDiagnostic) -> (text: String, span: SourceSpan)? {
        guard let value = directive.arguments[name], !value.isNull else { return nil }
        guard let text = value.string else {
            throw failure("\"\(name)\" of @\(directive.name.value) must be a string", value.span)
        }
        return (text, value.span)
    }

    /// The texts of an argument; `nil` if the argument is missing or `null`. A single text counts as a list with one element.
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

    /// The limit of a relation.
    func limit(of directive: Directive) throws(SchemaDiagnostic) -> UInt32? {
        guard let value = directive.arguments["limit"], !value.isNull else { return nil }
        guard let number = value.int, let limit = UInt32(exactly: number), limit > 0 else {
            throw failure("\"limit\" of @\(directive.name.value) must be a whole number above 0", value.span)
        }
        return limit
    }

    /// The field of `model` that an argument names. It must have a single value that can be ordered.
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
