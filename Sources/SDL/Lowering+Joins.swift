internal import TidelogAgreement
internal import TidelogGraphQL
internal import TidelogSchema

extension Lowering {
    /// Makes the join models, which connect the two sides of each `@manyToMany`.
    mutating func joinModels() throws(SchemaDiagnostic) {
        var sides: [(name: String, sides: [(model: Int, relation: Int)])] = []
        for model in models.indices {
            for relation in models[model].relations.indices {
                let draft = models[model].relations[relation]
                guard draft.association.kind == .manyToMany else { continue }
                guard let given = try text("relationName", of: draft.directive) else {
                    throw failure("@manyToMany needs \"relationName\"", draft.directive.span)
                }
                guard Names.isName(given.text) else {
                    throw failure("the name of a relation is letters, digits and underscores", given.span)
                }
                let name = Names.upperFirst(given.text)
                if types[name] != nil || Vocabulary.scalars[name] != nil {
                    throw failure("\"\(name)\" is the name of a type already", given.span)
                }
                models[model].relations[relation].association.indexOrRelationName = name
                models[model].relations[relation].association.limit = try limit(of: draft.directive)
                if let index = sides.firstIndex(where: { $0.name == name }) {
                    sides[index].sides.append((model, relation))
                } else {
                    sides.append((name, [(model, relation)]))
                }
            }
        }
        for (name, sides) in sides {
            try checkSides(name, sides)
            var join = ModelSchema(joining: models[sides[0].model].schema, models[sides[1].model].schema, name: name)
            // A record that joins a local-only record is itself local-only, because a server would not know the other record.
            join.isLocalOnly = sides.contains { models[$0.model].schema.isLocalOnly }
            models.append(
                ModelDraft(
                    definition: nil, schema: join,
                    relations: join.associations.map { association in
                        RelationDraft(
                            field: FieldDefinition(
                                name: Name(value: association.name),
                                type: .named(Name(value: association.target))),
                            directive: Directive(name: "belongsTo"), association: association)
                    }))
        }
    }

    private func checkSides(_ name: String, _ sides: [(model: Int, relation: Int)]) throws(SchemaDiagnostic) {
        let drafts = sides.map { models[$0.model].relations[$0.relation] }
        guard drafts.count == 2 else {
            throw failure(
                "@manyToMany must name the relation \"\(name)\" exactly twice, not \(drafts.count) times",
                drafts[drafts.count - 1].directive.span)
        }
        let names = sides.map { models[$0.model].schema.name }
        guard names[0] != names[1] else {
            throw failure("the relation \"\(name)\" must join two models", drafts[1].directive.span)
        }
        for (draft, other) in zip(drafts, names.reversed()) where draft.association.target != other {
            throw failure(
                "the relation \"\(name)\" joins \(names[0]) and \(names[1]), so this must lead to \(other)",
                draft.field.type.span)
        }
    }
}

extension ModelSchema {
    /// Makes the join model of `first` and `second`. Each of its records joins one record of each.
    init(joining first: ModelSchema, _ second: ModelSchema, name: String) {
        self.init(name: name, fields: [FieldSchema("id", .id, isRequired: true)])
        for side in [first, second] {
            let names = Names.joinFields(for: side.name, key: side.primaryKey)
            for (name, key) in zip(names, side.primaryKey) {
                fields.append(FieldSchema(name, side.field(named: key)?.type ?? .id, isRequired: true))
            }
            indexes.append(
                IndexSchema(
                    name: Names.joinIndex(by: side.name), fields: names, queryField: Names.index(of: name, names)))
            associations.append(
                Association(
                    name: Names.joinRelation(to: side.name), kind: .belongsTo, target: side.name, fields: names,
                    isRequired: true))
        }
        let rules = Directive.rules(first.directives + second.directives)
        if !rules.isEmpty { directives = [Directive.auth(rules: rules).printed()] }
    }
}

extension Directive {
    /// `@auth` with these rules.
    static func auth(rules: [Value]) -> Directive {
        Directive(name: "auth", arguments: [Argument(name: "rules", value: .list(rules))])
    }

    /// The rules of all `@auth` in directives given as text, without duplicates.
    fileprivate static func rules(_ directives: [String]) -> [Value] {
        var seen = Set<String>()
        return directives.flatMap { Directive.parsed($0) }
            .filter { $0.name.value == "auth" }
            .compactMap { $0.arguments["rules"] }
            .flatMap { $0.elements ?? [$0] }
            .filter { seen.insert($0.printed()).inserted }
    }
}
