internal import TidelogAgreement
internal import TidelogGraphQL
internal import TidelogSchema
internal import TidelogSuggestion

extension Lowering {
    /// Sets the fields of all relations, and adds the fields that the schema implies. `@hasMany` and `@hasOne` come first.
    /// `@belongsTo` comes after them, because it may use the fields that they have added.
    mutating func lowerRelations() throws(SchemaDiagnostic) {
        for model in models.indices {
            for relation in models[model].relations.indices {
                try checkShape(models[model].relations[relation], of: models[model].schema)
                switch models[model].relations[relation].association.kind {
                case .hasMany: try lowerHasMany(model, relation)
                case .hasOne: try lowerHasOne(model, relation)
                case .belongsTo, .manyToMany: break
                }
            }
        }
        for model in models.indices {
            for relation in models[model].relations.indices
            where models[model].relations[relation].association.kind == .belongsTo {
                try lowerBelongsTo(model, relation)
            }
        }
    }

    private func checkShape(_ relation: RelationDraft, of model: ModelSchema) throws(SchemaDiagnostic) {
        let (kind, field, directive) = (relation.association.kind, relation.field, relation.directive)
        let isList = field.type.listElement != nil
        let wantsList = kind == .hasMany || kind == .manyToMany
        guard isList == wantsList, field.type.listElement?.listElement == nil else {
            let other = kind == .hasMany || kind == .manyToMany ? "@hasOne or @belongsTo" : "@hasMany"
            throw failure(
                "@\(kind.rawValue) belongs on a field with \(wantsList ? "a list of records" : "one record")",
                field.type.span, "did you mean \(other)?")
        }
        if let argument = field.arguments.first { throw failure("a relation takes no arguments", argument.span) }
        if directive.arguments["fields"] != nil, let references = directive.arguments.first(named: "references") {
            throw failure("\"fields\" and \"references\" exclude each other", references.span)
        }
        guard kind == .hasOne || kind == .hasMany, relation.association.target != model.name,
            let target = models.first(where: { $0.schema.name == relation.association.target })
        else { return }
        let isMutual = target.relations.contains {
            $0.association.target == model.name && $0.association.kind == kind
        }
        if isMutual {
            throw failure(
                "\(model.name) and \(target.schema.name) refer to each other with @\(kind.rawValue)", directive.span,
                "use \"@belongsTo\" on the side that holds the key")
        }
    }

    // MARK: Has many and has one

    private mutating func lowerHasMany(_ model: Int, _ relation: Int) throws(SchemaDiagnostic) {
        let draft = models[model].relations[relation]
        let (directive, parent) = (draft.directive, models[model].schema)
        let target = try self.target(of: draft)
        models[model].relations[relation].association.limit = try limit(of: directive)
        if let index = try text("indexName", of: directive) {
            let child = models[target].schema
            guard let schema = child.indexes.first(where: { $0.name == index.text }) else {
                throw failure(
                    "\(child.name) has no index called \"\(index.text)\"", index.span,
                    Suggestion.didYouMean(index.text, among: child.indexes.map(\.name)))
            }
            let given = try texts("fields", of: directive)
            let fields = given ?? parent.primaryKey.prefix(schema.fields.count).map { ($0, directive.span) }
            try match(fields, of: parent, with: schema.fields, of: child, isPrefix: true, directive)
            models[model].relations[relation].association.fields = fields.map(\.text)
            models[model].relations[relation].association.indexOrRelationName = schema.name
        } else if let fields = try texts("fields", of: directive) {
            let child = models[target].schema
            try match(fields, of: parent, with: child.primaryKey, of: child, isPrefix: true, directive)
            models[model].relations[relation].association.fields = fields.map(\.text)
        } else {
            try lookUp(model, relation, target)
        }
    }

    private mutating func lowerHasOne(_ model: Int, _ relation: Int) throws(SchemaDiagnostic) {
        let draft = models[model].relations[relation]
        let target = try self.target(of: draft)
        if draft.directive.arguments["references"] != nil { return try lookUp(model, relation, target) }
        models[model].relations[relation].association.fields = try ownKey(model, draft, of: target)
    }

    /// Sets the fields of a relation whose other records hold the key of this record. The fields with the key are those in
    /// `references`, or implied ones. The method adds an index over them if there is none.
    private mutating func lookUp(_ model: Int, _ relation: Int, _ target: Int) throws(SchemaDiagnostic) {
        let draft = models[model].relations[relation]
        let parent = models[model].schema
        var names: [String] = []
        if let references = try texts("references", of: draft.directive) {
            try match(
                references, of: models[target].schema, with: parent.primaryKey, of: parent, isPrefix: false,
                draft.directive)
            names = references.map(\.text)
        } else {
            for key in parent.primaryKey {
                let name = Names.foreignKey(of: parent.name, draft.association.name, keyField: key)
                try addKeyField(name, like: key, of: parent, to: target, isRequired: false, draft.directive)
                names.append(name)
            }
        }
        models[model].relations[relation].association.fields = parent.primaryKey
        models[model].relations[relation].association.indexOrRelationName = try index(
            over: names, of: target, like: ["by", parent.name, draft.association.name], draft.directive)
    }

    /// Adds an index over the fields of a one-to-one relation. Each save uses the index to find out which record already has
    /// the partner. No index is added if the primary key or another index begins with the fields.
    private mutating func addPartnerIndex(over fields: [String], of model: Int, for relation: String) {
        let schema = models[model].schema
        let orders = [schema.primaryKey] + schema.indexes.map(\.fields)
        guard !orders.contains(where: { $0.starts(with: fields) }) else { return }
        let taken = Set(schema.indexes.map(\.name))
        var name = Names.camelCase(["by", relation])
        var number = 2
        while taken.contains(name) {
            name = Names.camelCase(["by", relation, String(number)])
            number += 1
        }
        models[model].schema.indexes.append(IndexSchema(name: name, fields: fields))
    }

    /// The name of an index of `model` that begins with `fields`. If there is none, the method adds an index whose name is made
    /// from `words`.
    private mutating func index(
        over fields: [String], of model: Int, like words: [String], _ directive: Directive
    ) throws(SchemaDiagnostic) -> String {
        let indexes = models[model].schema.indexes
        if let index = indexes.first(where: { Array($0.fields.prefix(fields.count)) == fields }) { return index.name }
        let name = Names.camelCase(words)
        guard !indexes.contains(where: { $0.name == name }) else {
            throw failure(
                "\(models[model].schema.name) has an index called \"\(name)\" over other fields", directive.span)
        }
        models[model].schema.indexes.append(IndexSchema(name: name, fields: fields))
        return name
    }

    // MARK: Belongs to

    private mutating func lowerBelongsTo(_ model: Int, _ relation: Int) throws(SchemaDiagnostic) {
        let draft = models[model].relations[relation]
        let target = try self.target(of: draft)
        let name = models[model].schema.name
        let counterparts = models[target].relations.indices.filter {
            let other = models[target].relations[$0].association
            return other.target == name && (other.kind == .hasOne || other.kind == .hasMany)
        }
        guard let first = counterparts.first else {
            throw failure(
                "@belongsTo needs @hasOne or @hasMany in \(models[target].schema.name) that leads to \(name)",
                draft.directive.span)
        }
        let isGiven = draft.directive.arguments["fields"] != nil || draft.directive.arguments["references"] != nil
        try checkAnswer(draft, of: model, to: target)
        let counterpart = counterparts.first { !models[target].relations[$0].isClaimed } ?? first
        let other = models[target].relations[counterpart].association
        let index = models[model].schema.indexes.first { $0.name == other.indexOrRelationName }
        if !isGiven, let index {
            let count = models[target].schema.primaryKey.count
            models[target].relations[counterpart].isClaimed = true
            let fields = Array(index.fields.prefix(count)).map { ($0, draft.directive.span) }
            try match(
                fields, of: models[model].schema, with: models[target].schema.primaryKey, of: models[target].schema,
                isPrefix: false, draft.directive)
            models[model].relations[relation].association.fields = Array(index.fields.prefix(count))
        } else {
            let fields = try ownKey(model, draft, of: target)
            models[model].relations[relation].association.fields = fields
            if other.kind == .hasOne { addPartnerIndex(over: fields, of: model, for: draft.association.name) }
        }
    }

    /// Checks that `draft`, a `@belongsTo` of `model`, does not answer several `@hasOne` of `target`. Then a record would have
    /// no definite partner.
    private func checkAnswer(_ draft: RelationDraft, of model: Int, to target: Int) throws(SchemaDiagnostic) {
        let answered = try answered(by: draft, of: model, in: target)
        guard answered.count > 1 else { return }
        var count = 0
        for other in models[model].relations
        where other.association.kind == .belongsTo && other.association.target == models[target].schema.name {
            if try self.answered(by: other, of: model, in: target) == answered { count += 1 }
        }
        guard count < answered.count else { return }
        let names = answered.map { "\(models[target].schema.name).\($0)" }
        throw failure(
            "@belongsTo answers one @hasOne, and both \(names[0]) and \(names[1]) lead to \(models[model].schema.name)",
            draft.directive.span, "give each @hasOne a @belongsTo, or leave @belongsTo out")
    }

    /// The names of the `@hasOne` of `target` that `draft`, a `@belongsTo` of `model`, may answer. These are each `@hasOne`
    /// whose `references` are the fields of `draft`. If there is none, it is each `@hasOne` without `references`.
    /// A `@belongsTo` without fields may answer every `@hasOne`. The list is empty if the first relation that leads to `model`
    /// is a `@hasMany`, because `@belongsTo` then answers this relation.
    private func answered(
        by draft: RelationDraft, of model: Int, in target: Int
    ) throws(SchemaDiagnostic) -> [String] {
        var given: [String]?
        for argument in ["fields", "references"] {
            given = try texts(argument, of: draft.directive)?.map(\.text) ?? given
        }
        var (all, plain, exact): ([String], [String], [String]) = ([], [], [])
        var isOfMany: Bool?
        for other in models[target].relations where other.association.target == models[model].schema.name {
            let kind = other.association.kind
            if kind == .hasOne || kind == .hasMany { isOfMany = isOfMany ?? (kind == .hasMany) }
            guard kind == .hasOne else { continue }
            let references = try texts("references", of: other.directive)?.map(\.text)
            all.append(other.association.name)
            if references == nil { plain.append(other.association.name) }
            if references != nil, references == given { exact.append(other.association.name) }
        }
        if given == nil { return isOfMany == true ? [] : all }
        return exact.isEmpty ? (isOfMany == true ? [] : plain) : exact
    }

    /// The fields of `model` that hold the key of `target`: the fields in the directive, or implied fields.
    private mutating func ownKey(
        _ model: Int, _ draft: RelationDraft, of target: Int
    ) throws(SchemaDiagnostic) -> [String] {
        let (own, other) = (models[model].schema, models[target].schema)
        let argument = draft.directive.arguments["fields"] == nil ? "references" : "fields"
        if let given = try texts(argument, of: draft.directive) {
            try match(given, of: own, with: other.primaryKey, of: other, isPrefix: false, draft.directive)
            return given.map(\.text)
        }
        var names: [String] = []
        for key in other.primaryKey {
            let name = Names.foreignKey(of: own.name, draft.association.name, keyField: key)
            try addKeyField(
                name, like: key, of: other, to: model, isRequired: draft.association.isRequired, draft.directive)
            names.append(name)
        }
        return names
    }

    // MARK: Parts

    private func target(of relation: RelationDraft) throws(SchemaDiagnostic) -> Int {
        guard let index = models.firstIndex(where: { $0.schema.name == relation.association.target }) else {
            throw unknownType(relation.field.type.innermost)
        }
        return index
    }

    /// Adds a field for a part of a key, unless the model declares a field with this name and type.
    private mutating func addKeyField(
        _ name: String, like key: String, of owner: ModelSchema, to model: Int, isRequired: Bool, _ directive: Directive
    ) throws(SchemaDiagnostic) {
        guard let key = owner.field(named: key) else { return }
        if let field = models[model].schema.field(named: name) {
            guard field.type == key.type else {
                throw failure(
                    "\(models[model].schema.name).\(name) holds the key of \(owner.name) and so must be "
                        + key.type.sdl, directive.span)
            }
            return
        }
        guard Names.isName(name) else { throw failure("the name of the field \(name) is too long", directive.span) }
        models[model].schema.fields.append(FieldSchema(name, key.type, isRequired: isRequired))
    }

    /// Checks that the fields of a directive match the fields `names`: they must have the same types and the same number. If
    /// `isPrefix`, the number may be smaller.
    private func match(
        _ given: [(text: String, span: SourceSpan)], of owner: ModelSchema, with names: [String],
        of other: ModelSchema, isPrefix: Bool, _ directive: Directive
    ) throws(SchemaDiagnostic) {
        let fits = isPrefix ? (1...names.count).contains(given.count) : given.count == names.count
        guard fits else {
            let wanted = isPrefix && names.count > 1 ? "1 to \(names.count)" : "\(names.count)"
            throw failure(
                "@\(directive.name.value) takes \(wanted) \(names.count == 1 ? "field" : "fields") here, one for each of "
                    + "\(other.name)'s \(names.joined(separator: ", "))", directive.span)
        }
        for (field, name) in zip(given, names) {
            let found = try orderedField(field.text, of: owner, at: field.span)
            guard let type = other.field(named: name)?.type, type == found.type else {
                throw failure("\(owner.name).\(field.text) and \(other.name).\(name) must have one type", field.span)
            }
        }
    }
}
