internal import TidelogAgreement
internal import TidelogGraphQL
package import TidelogJSON
package import TidelogSchema

extension Schema {
    /// The models as `amplify_outputs.json` describes them, under `data.model_introspection`.
    ///
    /// The description has no defaults, validations and descriptions, no directives of fields, no lists of lists, and no models
    /// that stay on the device. A relation of many to many is described as the join model and the two relations to it.
    package var modelIntrospection: JSONValue {
        let described = models.filter { !$0.isLocalOnly }
        return .object([
            .init("version", .int(1)),
            .init("models", .object(described.map { .init($0.name, description(of: $0)) })),
            .init("enums", .object(enums.map { .init($0.name, Self.description(of: $0)) })),
            .init("nonModels", .object(embeddedTypes.map { .init($0.name, Self.description(of: $0)) })),
        ])
    }

    private static func description(of type: EnumSchema) -> JSONValue {
        .object([.init("name", .string(type.name)), .init("values", .texts(type.cases))])
    }

    private static func description(of type: EmbeddedSchema) -> JSONValue {
        .object([
            .init("name", .string(type.name)),
            .init("fields", .object(type.fields.compactMap { description(of: $0) })),
        ])
    }

    private func description(of model: ModelSchema) -> JSONValue {
        var fields = model.fields.compactMap { Self.description(of: $0) }
        for association in model.associations {
            guard let relation = description(of: association, of: model) else { continue }
            fields.append(.init(association.name, relation))
        }
        let isCustom = model.primaryKey != ["id"]
        return .object([
            .init("name", .string(model.name)),
            .init("syncable", .bool(true)),
            .init("pluralName", .string(Plural.of(model.name))),
            .init("attributes", .array(Self.attributes(of: model))),
            .init(
                "primaryKeyInfo",
                .object([
                    .init("isCustomPrimaryKey", .bool(isCustom)),
                    .init("primaryKeyFieldName", .string(model.primaryKey[0])),
                    .init("sortKeyFieldNames", .texts(Array(model.primaryKey.dropFirst()))),
                ])),
            .init("fields", .object(fields)),
        ])
    }

    private static func attributes(of model: ModelSchema) -> [JSONValue] {
        func attribute(_ type: String, _ properties: [JSONValue.Member]) -> JSONValue {
            .object([.init("type", .string(type)), .init("properties", .object(properties))])
        }
        let directives = model.directives.flatMap { Directive.parsed($0) }
        let settings = directives.first(named: "model")?.arguments ?? []
        var attributes = [attribute("model", settings.map { .init($0.name.value, $0.value.json) })]
        if model.primaryKey != ["id"] {
            attributes.append(attribute("key", [.init("fields", .texts(model.primaryKey))]))
        }
        for index in model.indexes {
            var properties = [JSONValue.Member("name", .string(index.name))]
            if let query = index.queryField { properties.append(.init("queryField", .string(query))) }
            properties.append(.init("fields", .texts(index.fields)))
            attributes.append(attribute("key", properties))
        }
        let rules = directives.all(named: "auth").compactMap { $0.arguments["rules"] }.flatMap { $0.elements ?? [$0] }
        if !rules.isEmpty { attributes.append(attribute("auth", [.init("rules", .array(rules.map(\.json)))])) }
        return attributes
    }

    // MARK: Fields

    /// The field with its description; `nil` for a list of lists.
    private static func description(of field: FieldSchema) -> JSONValue.Member? {
        var (type, isRequired, isArray) = (field.type, field.isRequired, false)
        if case .list(let element, let elementIsRequired) = type {
            (type, isRequired, isArray) = (element, elementIsRequired, true)
        }
        if case .list = type { return nil }
        let name: JSONValue =
            switch type {
            case .enumeration(let name): .object([.init("enum", .string(name))])
            case .embedded(let name): .object([.init("nonModel", .string(name))])
            default: .string(field.scalar ?? type.sdl)
            }
        var members = members(field.name, name, isArray: isArray, isRequired: isRequired)
        if isArray { members.append(.init("isArrayNullable", .bool(!field.isRequired))) }
        if field.isReadOnly { members.append(.init("isReadOnly", .bool(true))) }
        return .init(field.name, .object(members))
    }

    private static func members(
        _ name: String, _ type: JSONValue, isArray: Bool, isRequired: Bool
    ) -> [JSONValue.Member] {
        [
            .init("name", .string(name)), .init("isArray", .bool(isArray)), .init("type", type),
            .init("isRequired", .bool(isRequired)), .init("attributes", .array([])),
        ]
    }

    /// The description of a relation; `nil` if it leads to a model that stays on the device.
    private func description(of association: Association, of model: ModelSchema) -> JSONValue? {
        var targetName = association.target
        if association.kind == .manyToMany { targetName = association.indexOrRelationName ?? targetName }
        guard let target = self.model(named: targetName), !target.isLocalOnly else { return nil }
        let isArray = association.kind == .hasMany || association.kind == .manyToMany
        var members = Self.members(
            association.name, .object([.init("model", .string(targetName))]), isArray: isArray,
            isRequired: association.isRequired)
        if isArray { members.append(.init("isArrayNullable", .bool(true))) }
        let index = target.indexes.first { $0.name == association.indexOrRelationName }
        let references = Array((index?.fields ?? target.primaryKey).prefix(association.fields.count))
        let details: [JSONValue.Member] =
            switch association.kind {
            case .hasMany: [.init("connectionType", .string("HAS_MANY")), .init("associatedWith", .texts(references))]
            case .manyToMany:
                [
                    .init("connectionType", .string("HAS_MANY")),
                    .init("associatedWith", .texts(Names.joinFields(for: model.name, key: model.primaryKey))),
                ]
            case .hasOne:
                [
                    .init("connectionType", .string("HAS_ONE")), .init("associatedWith", .texts(references)),
                    .init("targetNames", .texts(index == nil ? association.fields : [])),
                ]
            case .belongsTo:
                [.init("connectionType", .string("BELONGS_TO")), .init("targetNames", .texts(association.fields))]
            }
        members.append(.init("association", .object(details)))
        return .object(members)
    }
}

extension JSONValue {
    fileprivate static func texts(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}

extension Value {
    /// The value as JSON. A name becomes a text.
    fileprivate var json: JSONValue {
        switch self {
        case .null, .variable: .null
        case .int(let text, _), .float(let text, _):
            Int64(text).map { .int($0) } ?? Double(text).map { .double($0) } ?? .null
        case .string(let text): .string(text.value)
        case .boolean(let flag, _): .bool(flag)
        case .enum(let name): .string(name.value)
        case .list(let elements, _): .array(elements.map(\.json))
        case .object(let fields, _): .object(fields.map { .init($0.name.value, $0.value.json) })
        }
    }
}
