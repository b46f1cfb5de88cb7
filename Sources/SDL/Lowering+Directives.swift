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
        for type in document.typeDefinitions {
            guard type.kind == .object else {
                try checkNames(of: type)
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
        for value in type.enumValues { try check(value.directives, at: .enumCase) }
    }

    private func checkTwice(_ type: TypeDefinition) throws(SchemaDiagnostic) {
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

// MARK: - Directives of version 1

extension Lowering {
    /// The replacement for a directive of version 1 of the transformer; `nil` for any other directive.
    func replacement(of directive: Directive) -> String? {
        switch directive.name.value {
        case "key": keyReplacement(directive)
        case "connection": connectionReplacement(directive)
        default: nil
        }
    }

    private func keyReplacement(_ directive: Directive) -> String {
        let fields = texts("fields", directive)
        guard let first = fields.first else { return "use @primaryKey or @index on a field" }
        var arguments: [String] = []
        if let name = directive.arguments["name"]?.string { arguments.append("name: \"\(name)\"") }
        let directiveName = arguments.isEmpty ? "@primaryKey" : "@index"
        if !arguments.isEmpty, let query = directive.arguments["queryField"]?.string {
            arguments.append("queryField: \"\(query)\"")
        }
        if fields.count > 1 { arguments.append("sortKeyFields: \(list(fields.dropFirst()))") }
        return "write \(written(directiveName, arguments)) on the field \(first)"
    }

    private func connectionReplacement(_ directive: Directive) -> String {
        let place = objectTypes.lazy.compactMap { type in
            type.fields.first { $0.directives.contains { $0.span == directive.span } }.map { (type, $0) }
        }.first
        guard let (type, field) = place else { return "use @hasOne, @hasMany or @belongsTo" }
        let fields = texts("fields", directive)
        var arguments: [String] = []
        if field.type.listElement != nil {
            if let index = directive.arguments["keyName"]?.string { arguments.append("indexName: \"\(index)\"") }
            if !fields.isEmpty { arguments.append("fields: \(list(fields[...]))") }
            if let limit = directive.arguments["limit"]?.int { arguments.append("limit: \(limit)") }
            return "write \(written("@hasMany", arguments))"
        }
        if !fields.isEmpty { arguments.append("fields: \(list(fields[...]))") }
        return "write \(written(isCounterpart(of: type, field) ? "@belongsTo" : "@hasOne", arguments))"
    }

    /// Whether `field` is the other side of a relation: its type has a list of `type`.
    private func isCounterpart(of type: TypeDefinition, _ field: FieldDefinition) -> Bool {
        guard let other = types[field.type.innermost.value] else { return false }
        return other.fields.contains {
            $0.type.listElement != nil && $0.type.innermost.value == type.name.value
        }
    }

    private func texts(_ name: String, _ directive: Directive) -> [String] {
        guard let value = directive.arguments[name] else { return [] }
        return (value.elements ?? [value]).compactMap(\.string)
    }

    private func written(_ directive: String, _ arguments: [String]) -> String {
        arguments.isEmpty ? directive : "\(directive)(\(arguments.joined(separator: ", ")))"
    }

    private func list(_ texts: ArraySlice<String>) -> String {
        "[" + texts.map { "\"\($0)\"" }.joined(separator: ", ") + "]"
    }
}

// MARK: - Validations

extension Lowering {
    /// Checks the `@validate` directives of a field of `model`. The schema keeps their texts.
    func checkValidations(of field: FieldDefinition, _ model: String) throws(SchemaDiagnostic) {
        var kinds: [ValidationRule.Kind] = []
        for (place, directive) in field.directives.enumerated() where directive.name.value == "validate" {
            guard let value = directive.arguments["type"],
                let kind = (value.enumName ?? value.string).flatMap(ValidationRule.Kind.init(rawValue:))
            else { continue }
            let name = field.type.innermost.value
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
