internal import TidelogCore
internal import TidelogGraphQL
internal import TidelogSDL
internal import TidelogWire

/// A model with what its document says of it, as an API is made from it.
struct ModelSource {
    let schema: ModelSchema
    /// What the document declares; `nil` for a model that joins two others.
    let definition: ObjectTypeDefinition?
    /// What `@model` says.
    let settings: ModelSettings
    /// Who may do what.
    let rules: AccessRules
    /// The names of the types of its API.
    let names: TypeNames
    /// The members that the document declares, and `id`, in order; without those that this server does not have.
    let members: [Member]
    /// The fields with times that a server adds, in order.
    let timestamps: [FieldSchema]
    /// The fields that relations add for the keys of others.
    let foreignKeys: [FieldSchema]

    /// A field of the model's own, or one that is a relation.
    enum Member {
        case field(FieldSchema)
        case relation(Association)
    }

    init(_ schema: ModelSchema, in document: SchemaDocument) throws(SchemaDiagnostic) {
        let definition = document.document.typeDefinitions.lazy.compactMap { type -> ObjectTypeDefinition? in
            if case .object(let type) = type, type.name.value == schema.name { type } else { nil }
        }.first
        let settings = ModelSettings(model: schema.name, directive: definition?.directives.first(named: "model"))
        let declared = document.memberNames[schema.name].map(Set.init)
        self.schema = schema
        self.definition = definition
        self.settings = settings
        names = TypeNames(model: schema.name)
        rules = try AccessRules(of: schema, definition, in: document)

        let isTime = { (field: FieldSchema) in settings.timestamps.contains(field.name) }
        let isImplied = { (field: FieldSchema) in !(declared?.contains(field.name) ?? true) && field.name != "id" }
        timestamps = schema.fields.filter { isTime($0) && (isImplied($0) || declared == nil) }
        foreignKeys = schema.fields.filter { isImplied($0) && !isTime($0) }

        var members: [Member] = []
        if declared?.contains("id") == false, let id = schema.field(named: "id") { members.append(.field(id)) }
        let order =
            document.memberNames[schema.name]
            ?? (schema.fields.map(\.name).filter { !settings.timestamps.contains($0) }
                + schema.associations.map(\.name))
        for name in order where !Metadata.names.contains(name) {
            if let field = schema.field(named: name) {
                let directives = definition?.fields.first(named: name)?.directives ?? []
                if !directives.contains(where: \.isResolver) { members.append(.field(field)) }
            } else if let association = schema.associations.first(where: { $0.name == name }) {
                members.append(.relation(association))
            }
        }
        self.members = members
    }

    /// The fields that records are created and changed with, in order, but for the keys of others.
    var fields: [FieldSchema] {
        members.compactMap { if case .field(let field) = $0 { field } else { nil } }
    }

    /// The fields that rules for owners name and the model does not declare.
    var impliedOwnerFields: [String] {
        rules.ownerFields.map(\.name).filter { name in
            schema.field(named: name) == nil && !schema.associations.contains { $0.name == name }
        }
    }

    /// Whether the document declares a key with `@primaryKey`.
    var declaresKey: Bool {
        definition?.fields.contains { $0.directives.first(named: "primaryKey") != nil } ?? false
    }

    /// The span that speaks for the whole model.
    var span: SourceSpan { definition?.name.span ?? .none }
}

extension Directive {
    /// Whether a field with this directive is computed by something that this server does not run.
    var isResolver: Bool { ["function", "http", "predictions", "sql"].contains(name.value) }
}
