internal import TidelogAgreement
internal import TidelogGraphQL
internal import TidelogSchema
internal import TidelogSuggestion

extension Lowering {
    /// Lowers the parts of a model that do not depend on other models: fields, primary key and indexes. Relations are lowered
    /// later.
    mutating func lowerModels() throws(SchemaDiagnostic) {
        for type in objectTypes where isModel(type.name.value) {
            var draft = ModelDraft(
                definition: type,
                schema: ModelSchema(
                    name: type.name.value, fields: [], directives: modelDirectives(of: type),
                    documentation: type.description?.value))
            for field in type.fields { try lower(field, into: &draft) }
            try lowerKey(&draft)
            try lowerIndexes(&draft)
            models.append(draft)
        }
    }

    /// Reads the settings of the whole schema from the input type `AMPLIFY`.
    mutating func lowerSettings() throws(SchemaDiagnostic) {
        guard let settings = types["AMPLIFY"], settings.kind == .inputObject else { return }
        for setting in settings.inputFields {
            guard Vocabulary.settings.contains(setting.name.value) else {
                throw failure(
                    "AMPLIFY has no setting \"\(setting.name.value)\"", setting.name.span,
                    Suggestion.didYouMean(setting.name.value, among: Vocabulary.settings))
            }
            guard setting.name.value == "globalAuthRule", let rule = setting.defaultValue else { continue }
            try check(rule, Vocabulary.authRule, "globalAuthRule")
            globalAuthRule = rule
        }
    }

    private func lower(_ field: FieldDefinition, into draft: inout ModelDraft) throws(SchemaDiagnostic) {
        let (name, model) = (field.name.value, draft.schema.name)
        try check(name: field.name)
        try check(field.directives, at: .field)
        guard draft.schema.field(named: name) == nil, !draft.relations.contains(where: { $0.association.name == name })
        else { throw failure("the field \(model).\(name) is declared twice", field.name.span) }
        let relations = field.directives.filter { Vocabulary.relations[$0.name.value] != nil }
        if relations.count > 1 {
            throw failure("\(model).\(name) has more than one relation", relations[1].span)
        }
        let target = field.type.innermost
        if let directive = relations.first, let kind = Vocabulary.relations[directive.name.value] {
            guard isModel(target.value) else {
                if types[target.value] == nil, Vocabulary.scalars[target.value] == nil { throw unknownType(target) }
                throw failure("@\(kind.rawValue) leads to a model, and \(target.value) is none", target.span)
            }
            draft.relations.append(
                RelationDraft(
                    field: field, directive: directive,
                    association: Association(
                        name: name, kind: kind, target: target.value, isRequired: field.type.isNonNull,
                        directives: try relationDirectives(of: field), documentation: field.description?.value)))
        } else if isModel(target.value) {
            throw failure(
                "\(model).\(name) leads to the model \(target.value) without saying how", field.type.span,
                "add \"@hasOne\", \"@hasMany\", \"@belongsTo\" or \"@manyToMany\"")
        } else {
            var row = try rowField(field, of: model)
            if let directive = field.directives.first(named: "default") {
                row.defaultValue = try defaultValue(directive, of: row)
            }
            try checkValidations(of: field, model)
            if field.directives.contains(where: { Vocabulary.resolvers.contains($0.name.value) }) {
                (row.isReadOnly, row.isRequired) = (true, false)
            }
            draft.schema.fields.append(row)
        }
    }

    /// The directives of a relation field that are kept. A directive about a value is an error on such a field.
    private func relationDirectives(of field: FieldDefinition) throws(SchemaDiagnostic) -> [String] {
        for directive in field.directives
        where Vocabulary.forValues.contains(directive.name.value) {
            throw failure(
                "@\(directive.name.value) belongs on a field with a value, and \(field.name.value) is a relation",
                directive.span)
        }
        return kept(field.directives)
    }

    /// The model's directives as text. `@model` is left out if it has no arguments or if its arguments follow from the fields.
    private func modelDirectives(of type: TypeDefinition) -> [String] {
        var directives = type.directives
        if let rule = globalAuthRule, directives.first(named: "auth") == nil {
            directives.append(.auth(rules: [rule]))
        }
        return directives.compactMap { directive in
            guard directive.name.value == "model" else { return directive.printed() }
            let declares = { (name: String) in type.fields.first(named: name) != nil }
            let isTold =
                directive.arguments.count == 1 && directive.arguments["timestamps"]?.isNull == true
                && !declares("createdAt") && !declares("updatedAt")
            return directive.arguments.isEmpty || isTold ? nil : directive.printed()
        }
    }

    // MARK: Keys and indexes

    private func lowerKey(_ draft: inout ModelDraft) throws(SchemaDiagnostic) {
        let model = draft.schema.name
        let keyed = (draft.definition?.fields ?? []).filter { $0.directives.first(named: "primaryKey") != nil }
        guard let field = keyed.first, let directive = field.directives.first(named: "primaryKey") else {
            guard let id = draft.definition?.fields.first(named: "id") else {
                draft.schema.fields.insert(FieldSchema("id", .id, isRequired: true), at: 0)
                return
            }
            guard let row = draft.schema.field(named: "id"), row.isRequired, row.type.isOrdered else {
                throw failure("the key \(model).id must be required and one value", id.span, "write \"id: ID!\"")
            }
            return
        }
        if keyed.count > 1, let second = keyed[1].directives.first(named: "primaryKey") {
            throw failure("\(model) has more than one @primaryKey", second.span)
        }
        var names = [(text: field.name.value, span: field.span)]
        names += try texts("sortKeyFields", of: directive) ?? []
        draft.schema.primaryKey = []
        for (name, span) in names {
            let field = try orderedField(name, of: draft.schema, at: span)
            guard field.isRequired else {
                throw failure(
                    "the key field \(model).\(name) must be required", span,
                    "write \"\(name): \(field.scalar ?? field.type.sdl)!\"")
            }
            guard !draft.schema.primaryKey.contains(name) else {
                throw failure("the key of \(model) names \(name) twice", span)
            }
            draft.schema.primaryKey.append(name)
        }
    }

    private func lowerIndexes(_ draft: inout ModelDraft) throws(SchemaDiagnostic) {
        for field in draft.definition?.fields ?? [] {
            for directive in field.directives.all(named: "index") {
                var fields: [String] = []
                var names = [(text: field.name.value, span: directive.span)]
                names += try texts("sortKeyFields", of: directive) ?? []
                for (name, span) in names {
                    fields.append(try orderedField(name, of: draft.schema, at: span).name)
                    guard Set(fields).count == fields.count else {
                        throw failure("the index names \(name) twice", span)
                    }
                }
                let given = try text("name", of: directive)
                let query = Names.index(of: draft.schema.name, fields)
                let name = given?.text ?? query
                let span = given?.span ?? directive.span
                guard Names.isName(name) else {
                    throw failure("the name of an index is letters, digits and underscores", span)
                }
                guard !draft.schema.indexes.contains(where: { $0.name == name }) else {
                    throw failure("\(draft.schema.name) has two indexes called \"\(name)\"", span)
                }
                draft.schema.indexes.append(
                    IndexSchema(name: name, fields: fields, queryField: try queryField(of: directive, default: query)))
            }
        }
    }

    /// The name of the server's query over an index; `nil` if the directive sets it to `null`.
    private func queryField(of directive: Directive, default name: String) throws(SchemaDiagnostic) -> String? {
        guard let given = directive.arguments["queryField"] else { return name }
        return given.isNull ? nil : try text("queryField", of: directive)?.text
    }

    // MARK: Timestamps

    /// Adds the fields for the times of creation and of the last change, if the model does not declare them.
    mutating func addTimestamps(_ index: Int) throws(SchemaDiagnostic) {
        let directive = models[index].definition?.directives.first(named: "model")
        for name in try Self.timestamps(directive, failure) where models[index].schema.field(named: name) == nil {
            models[index].schema.fields.append(FieldSchema(name, .dateTime, isReadOnly: true))
        }
    }

    /// The names of the timestamp fields, according to `@model`.
    static func timestamps(
        _ directive: Directive?, _ failure: (String, SourceSpan, String?) -> SchemaDiagnostic
    ) throws(SchemaDiagnostic) -> [String] {
        guard let value = directive?.arguments["timestamps"] else { return ["createdAt", "updatedAt"] }
        if value.isNull { return [] }
        guard let given = value.fields else {
            throw failure("\"timestamps\" of @model must be an object or null", value.span, nil)
        }
        let known = ["createdAt", "updatedAt"]
        for field in given where !known.contains(field.name.value) {
            throw failure(
                "\"timestamps\" of @model has no \"\(field.name.value)\"", field.span,
                Suggestion.didYouMean(field.name.value, among: known))
        }
        var names: [String] = []
        for key in known {
            guard let name = value[key] else {
                names.append(key)
                continue
            }
            if name.isNull { continue }
            guard let text = name.string, Names.isName(text) else {
                throw failure("\"\(key)\" of @model must be the name of a field or null", name.span, nil)
            }
            names.append(text)
        }
        return names
    }
}
