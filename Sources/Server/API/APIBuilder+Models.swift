internal import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution
internal import TidelogSDL

extension APIBuilder {
    /// Adds the enums and the embedded types, with the input types of the embedded types.
    mutating func addValueTypes() {
        for type in schema.enums {
            types.append(.enumType(type.name, type.cases, documentation: type.documentation))
        }
        let used = schema.reachedEmbeddedTypes
        for type in schema.embeddedTypes {
            types.append(
                .type(type.name, type.fields.map { definition(of: $0) }, documentation: type.documentation))
            guard used.contains(type.name) else { continue }
            types.append(.input(TypeNames.embeddedInput(type.name), type.fields.map { inputField($0) }))
        }
    }

    /// Adds the type of a model, its connection, and the model's description for a service.
    mutating func addModel(_ source: ModelSource) {
        var relations: [String: ModelAPI.RelationField] = [:]
        var fields: [FieldDefinition] = []
        for member in source.members {
            switch member {
            case .field(let field): fields.append(definition(of: field))
            case .relation(let association):
                let relation = relation(association, of: source)
                relations[relation.name] = relation
                fields.append(definition(of: relation, association))
            }
        }
        fields += source.timestamps.map { FieldDefinition($0.name, [], .named("AWSDateTime").required) }
        fields += (kind.metadata + source.foreignKeys).map { definition(of: $0) }
        fields += source.impliedOwnerFields.map { FieldDefinition($0, [], .named("String")) }
        types.append(.type(source.schema.name, fields, documentation: source.schema.documentation))

        let settings = source.settings
        if isPaged(source) {
            var members = [
                FieldDefinition("items", [], TypeReference.list(.named(source.schema.name)).required),
                FieldDefinition("nextToken", [], .named("String")),
            ]
            if kind.hasSyncQueries { members.append(FieldDefinition("startedAt", [], .named("AWSTimestamp"))) }
            types.append(.type(source.names.connection, members))
        }
        models[source.schema.name] = ModelAPI(
            name: source.schema.name, key: source.schema.primaryKey,
            createdAt: source.kept(settings.createdAt), updatedAt: source.kept(settings.updatedAt),
            relations: relations, rules: source.rules, impliedOwnerFields: source.impliedOwnerFields,
            mutations: settings.mutations)
    }

    /// Whether a query or a field of another model returns pages of this model.
    func isPaged(_ source: ModelSource) -> Bool {
        let name = source.schema.name
        if source.settings.list != nil || syncQuery(of: source) != nil { return true }
        if source.schema.indexes.contains(where: { $0.queryField != nil }) { return true }
        return schema.models.flatMap(\.associations).contains { association in
            switch association.kind {
            case .hasMany: association.target == name
            case .manyToMany: association.indexOrRelationName == name
            case .hasOne, .belongsTo: false
            }
        }
    }

    /// The declaration of a field with a value, as the API has it.
    private func definition(of field: FieldSchema) -> FieldDefinition {
        FieldDefinition(
            field.name, [], field.reference(),
            directives: field.directives.flatMap { Directive.parsed($0) }.filter { $0.name.value == "deprecated" },
            documentation: field.documentation)
    }

    /// The declaration of a relation field, as the API has it.
    private mutating func definition(of relation: ModelAPI.RelationField, _ association: Association) -> FieldDefinition
    {
        let directives = association.directives.flatMap { Directive.parsed($0) }
            .filter { $0.name.value == "deprecated" }
        guard case .connection(let connection) = relation.kind, let target = source(relation.target) else {
            let type = TypeReference.named(relation.target)
            return FieldDefinition(
                relation.name, [], association.isRequired ? type.required : type, directives: directives,
                documentation: association.documentation)
        }
        var arguments: [InputValueDefinition] = []
        if let sort = connection.sort {
            arguments.append(sortArgument(sort, of: target.schema, index: connection.index))
        }
        arguments += [
            InputValueDefinition("filter", target.names.filter),
            InputValueDefinition("sortDirection", TypeNames.sortDirection), InputValueDefinition("limit", "Int"),
            InputValueDefinition("nextToken", "String"),
        ]
        return FieldDefinition(
            relation.name, arguments, .named(target.names.connection), directives: directives,
            documentation: association.documentation)
    }
}

// MARK: - Relations

extension APIBuilder {
    private func relation(_ association: Association, of source: ModelSource) -> ModelAPI.RelationField {
        let (fields, index) = (association.fields, association.indexOrRelationName)
        switch association.kind {
        case .belongsTo:
            return ModelAPI.RelationField(name: association.name, target: association.target, kind: .key(fields))
        case .hasOne:
            return ModelAPI.RelationField(
                name: association.name, target: association.target,
                kind: index.map { .index($0, fields) } ?? .key(fields))
        case .manyToMany:
            let connection = ModelAPI.RelationField.Connection(
                index: Names.joinIndex(by: source.schema.name), fields: source.schema.primaryKey, sort: nil,
                limit: association.limit.map(Int.init) ?? 100)
            return ModelAPI.RelationField(
                name: association.name, target: index ?? association.target, kind: .connection(connection))
        case .hasMany:
            let connection = ModelAPI.RelationField.Connection(
                index: index, fields: fields, sort: connectionSort(association, of: source),
                limit: association.limit.map(Int.init) ?? 100)
            return ModelAPI.RelationField(
                name: association.name, target: association.target, kind: .connection(connection))
        }
    }

    /// The argument for a condition on the sort fields of a connection. A connection has this argument only if one field finds
    /// its records, if the document names the key or index, and if the key or index has further fields.
    private func connectionSort(_ association: Association, of source: ModelSource) -> RootField.SortArgument? {
        let directive = source.definition?.fields.first(named: association.name)?.directives.first(named: "hasMany")
        guard association.fields.count == 1, let target = schema.model(named: association.target),
            directive?.arguments["indexName"] != nil || directive?.arguments["fields"] != nil
        else { return nil }
        let key =
            association.indexOrRelationName.map { name in target.indexes.first { $0.name == name }?.fields ?? [] }
            ?? target.primaryKey
        return RootField.SortArgument(behind: key)
    }
}

extension ModelSource {
    /// The name of the timestamp field, if a server can set it. A server can set texts and times only.
    fileprivate func kept(_ name: String?) -> String? {
        name.flatMap { schema.field(named: $0) }.flatMap { [.string, .dateTime].contains($0.type) ? $0.name : nil }
    }
}

extension Schema {
    /// The names of the embedded types that records contain, at any depth.
    fileprivate var reachedEmbeddedTypes: Set<String> {
        var reached = Set<String>()
        var waiting = models.flatMap(\.fields)
        while let field = waiting.popLast() {
            guard case .embedded(let name) = field.type.innermost, reached.insert(name).inserted else { continue }
            waiting += embeddedTypes.first { $0.name == name }?.fields ?? []
        }
        return reached
    }
}
