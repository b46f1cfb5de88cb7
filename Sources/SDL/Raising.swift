internal import TidelogAgreement
package import TidelogGraphQL
public import TidelogSchema

/// Converts a schema to a document in the schema language.
struct Raising {
    let schema: Schema

    mutating func document() -> Document {
        var definitions: [Document.Definition] = schema.enums.map { type in
            .type(
                TypeDefinition(
                    .enum, description: description(type.documentation), name: Name(value: type.name),
                    enumValues: type.cases.map { EnumValueDefinition(name: Name(value: $0)) }))
        }
        let joins = joinNames()
        for model in schema.models where !joins.contains(model.name) { definitions.append(definition(of: model)) }
        for type in schema.embeddedTypes {
            definitions.append(
                .type(
                    TypeDefinition(
                        .object, description: description(type.documentation), name: Name(value: type.name),
                        fields: type.fields.map { field($0, directives: []) })))
        }
        return Document(definitions: definitions)
    }

    /// The names of the join models that lowering makes again from two `@manyToMany`.
    private func joinNames() -> Set<String> {
        var sides: [String: [ModelSchema]] = [:]
        for model in schema.models {
            for association in model.associations where association.kind == .manyToMany {
                sides[association.indexOrRelationName ?? "", default: []].append(model)
            }
        }
        var names = Set<String>()
        for (name, models) in sides where models.count == 2 {
            var join = ModelSchema(joining: models[0], models[1], name: name)
            join.isLocalOnly = models.contains(where: \.isLocalOnly)
            join.fields += ["createdAt", "updatedAt"].map { FieldSchema($0, .dateTime, isReadOnly: true) }
            if schema.model(named: name) == join { names.insert(name) }
        }
        return names
    }

    private func definition(of model: ModelSchema) -> Document.Definition {
        let kept = model.directives.flatMap { Directive.parsed($0) }
        let declared = kept.first(named: "model")
        let fields = model.fields.dropLast(impliedTimestamps(model, declared))
        var directives = kept
        if declared == nil { directives.insert(self.directive(of: model, Array(fields)), at: 0) }
        return .type(
            TypeDefinition(
                .object, description: description(model.documentation), name: Name(value: model.name),
                directives: directives,
                fields: fields.map { field($0, directives: keys(of: $0, in: model)) }
                    + model.associations.map { relation($0, of: model) }))
    }

    /// The number of fields at the end that lowering adds again.
    private func impliedTimestamps(_ model: ModelSchema, _ directive: Directive?) -> Int {
        let names =
            (try? Lowering.timestamps(directive) { SchemaDiagnostic($0, at: .init(line: 1, column: 1), suggestion: $2) })
            ?? []
        let implied = names.filter { name in
            model.field(named: name) == FieldSchema(name, .dateTime, isReadOnly: true)
        }
        for count in stride(from: implied.count, through: 1, by: -1)
        where model.fields.suffix(count).map(\.name) == Array(implied.suffix(count)) { return count }
        return 0
    }

    /// The `@model` directive for a model whose directives do not contain one.
    private func directive(of model: ModelSchema, _ fields: [FieldSchema]) -> Directive {
        let missing = ["createdAt", "updatedAt"].filter { model.field(named: $0) == nil }
        guard !missing.isEmpty else { return Directive(name: "model") }
        let value: Value =
            missing.count == 2
            ? .null()
            : .object(missing.map { Value.ObjectField(name: Name(value: $0), value: .null()) })
        return Directive(name: "model", arguments: [Argument(name: "timestamps", value: value)])
    }

    private func description(_ text: String?) -> StringValue? { text.map { StringValue(value: $0, isBlock: true) } }
}

extension Raising {
    private func field(_ field: FieldSchema, directives: [Directive]) -> FieldDefinition {
        var directives = directives
        if let text = field.defaultValue?.sdlText {
            directives.append(Directive(name: "default", arguments: [.text("value", text)]))
        }
        directives += field.directives.flatMap { Directive.parsed($0) }
        return FieldDefinition(
            description: description(field.documentation), name: Name(value: field.name),
            type: reference(field.type, scalar: field.scalar, isRequired: field.isRequired), directives: directives)
    }

    private func keys(of field: FieldSchema, in model: ModelSchema) -> [Directive] {
        var directives: [Directive] = []
        if model.primaryKey.first == field.name, model.primaryKey != ["id"] {
            directives.append(
                Directive(
                    name: "primaryKey", arguments: .texts("sortKeyFields", Array(model.primaryKey.dropFirst()))))
        }
        for index in model.indexes where index.fields.first == field.name {
            var given: [Argument] = [.text("name", index.name)]
            given += .texts("sortKeyFields", Array(index.fields.dropFirst()))
            if index.queryField != Names.index(of: model.name, index.fields) {
                given.append(
                    index.queryField.map { .text("queryField", $0) }
                        ?? Argument(name: "queryField", value: .null()))
            }
            directives.append(Directive(name: "index", arguments: given))
        }
        return directives
    }

    private func relation(_ association: Association, of model: ModelSchema) -> FieldDefinition {
        var given: [Argument] = []
        switch association.kind {
        case .hasMany:
            if let index = association.indexOrRelationName { given.append(.text("indexName", index)) }
            given += .texts("fields", association.fields)
        case .hasOne:
            let index = schema.model(named: association.target)?.indexes
                .first { $0.name == association.indexOrRelationName }
            if let index {
                given += .texts("references", Array(index.fields.prefix(model.primaryKey.count)))
            } else {
                given += .texts("fields", association.fields)
            }
        case .belongsTo: given += .texts("fields", association.fields)
        case .manyToMany:
            if let name = association.indexOrRelationName { given.append(.text("relationName", name)) }
        }
        if let limit = association.limit {
            given.append(Argument(name: "limit", value: .int(String(limit))))
        }
        var type = TypeReference.named(Name(value: association.target))
        if association.kind == .hasMany || association.kind == .manyToMany { type = .list(type) }
        if association.isRequired { type = .nonNull(type) }
        return FieldDefinition(
            description: description(association.documentation), name: Name(value: association.name), type: type,
            directives: [Directive(name: Name(value: association.kind.rawValue), arguments: given)]
                + association.directives.flatMap { Directive.parsed($0) })
    }

    private func reference(_ type: FieldType, scalar: String?, isRequired: Bool) -> TypeReference {
        let nullable: TypeReference
        if case .list(let element, let elementIsRequired) = type {
            nullable = .list(reference(element, scalar: scalar, isRequired: elementIsRequired))
        } else {
            nullable = .named(Name(value: scalar ?? type.sdl))
        }
        return isRequired ? .nonNull(nullable) : nullable
    }
}

extension Schema {
    /// The schema in the GraphQL schema language with Amplify's directives (transformer version 2).
    ///
    /// The text declares everything that the directives imply, except timestamps and join models, which lowering adds again. If
    /// the schema was made by lowering, lowering the text gives an equal schema. Some parts of a schema that was made by hand
    /// have no text: read-only fields other than the timestamps, defaults of lists and objects, and indexes in another order
    /// than their first fields.
    public var sdl: String {
        var raising = Raising(schema: self)
        return raising.document().printed()
    }
}

// MARK: - Fields

extension Directive {
    /// Parses the directives in `text`. The result is empty if the text is not valid.
    package static func parsed(_ text: String) -> [Directive] {
        guard let document = try? Document(parsing: "scalar Any \(text)"), document.definitions.count == 1,
            case .type(let type) = document.definitions[0]
        else { return [] }
        return type.directives
    }
}

extension FieldValue {
    /// The text of this value for `@default`; `nil` if the value has no such text.
    fileprivate var sdlText: String? {
        switch self {
        case .string(let text): text
        case .int(let number): String(number)
        case .double(let number): number.description
        case .bool(let flag): flag ? "true" : "false"
        case .date(let date): date.text
        case .time(let time): time.text
        case .dateTime(let dateTime): dateTime.text
        case .embedded, .list: nil
        }
    }
}
