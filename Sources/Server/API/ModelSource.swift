internal import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution
internal import TidelogSDL

/// A model and its declaration in the document. The API of the model is made from both.
struct ModelSource {
    let schema: ModelSchema
    /// The declaration in the document; `nil` for a join model.
    let definition: TypeDefinition?
    /// The settings of `@model`.
    let settings: Settings
    /// The access rules.
    let rules: AccessRules
    /// The names of the types in the model's API.
    let names: TypeNames
    /// The members that the document declares, and `id`, in order. Members that this server does not support are left out.
    let members: [Member]
    /// The timestamp fields that the server adds, in order.
    let timestamps: [FieldSchema]
    /// The fields that relations add to this model for keys of other records.
    let foreignKeys: [FieldSchema]

    /// A member of a model: a field with a value, or a relation.
    enum Member {
        case field(FieldSchema)
        case relation(Association)
    }

    init(_ schema: ModelSchema, in document: SchemaDocument) throws(SchemaDiagnostic) {
        let definition = document.document.typeDefinitions.first { $0.kind == .object && $0.name.value == schema.name }
        let settings = Settings(model: schema.name, directive: definition?.directives.first(named: "model"))
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

    /// The fields that inputs of creations and updates have, in order, without the keys that relations add.
    var fields: [FieldSchema] {
        members.compactMap { if case .field(let field) = $0 { field } else { nil } }
    }

    /// The owner fields that rules name and the model does not declare.
    var impliedOwnerFields: [String] {
        rules.ownerFields.map(\.name).filter { name in
            schema.field(named: name) == nil && !schema.associations.contains { $0.name == name }
        }
    }

    /// Whether the document declares a key with `@primaryKey`.
    var declaresKey: Bool {
        definition?.fields.contains { $0.directives.first(named: "primaryKey") != nil } ?? false
    }

    /// The position of the model in the document, for diagnostics.
    var span: SourceSpan { definition?.name.span ?? .none }

    /// The settings of `@model`: the operations of a model and its timestamps, including the defaults.
    struct Settings {
        private let operations: ModelOperations
        /// The name of the field for the time of creation; `nil` if there is none.
        private(set) var createdAt: String? = "createdAt"
        /// The name of the field for the time of the last change; `nil` if there is none.
        private(set) var updatedAt: String? = "updatedAt"

        /// - Parameter directive: The model's `@model` directive, with valid arguments.
        init(model: String, directive: Directive?) {
            operations = ModelOperations(model: model, directives: directive.map { [$0.printed()] } ?? [])
            let timestamps = directive?.arguments["timestamps"]
            if timestamps?.isNull == true {
                (createdAt, updatedAt) = (nil, nil)
            } else {
                createdAt = Self.name(timestamps, "createdAt")
                updatedAt = Self.name(timestamps, "updatedAt")
            }
        }

        /// The name of the query for one record, `nil` if there is none.
        var get: String? { operations.get }
        /// The name of the query for lists, `nil` if there is none.
        var list: String? { operations.list }
        /// The name of the query for changed records, `nil` if there is none.
        var sync: String? { operations.sync }
        /// Whether the rules of the model apply to its subscriptions.
        var level: ModelOperations.SubscriptionLevel { operations.level }

        /// The names of the mutations that the model has.
        var mutations: [Mutation: String] {
            var mutations: [Mutation: String] = [:]
            mutations[.create] = operations.create
            mutations[.update] = operations.update
            mutations[.delete] = operations.delete
            return mutations
        }

        /// The names of the subscriptions to each mutation. Several mutations may have the same subscription name.
        var subscriptions: [Mutation: [String]] {
            [.create: operations.onCreate, .update: operations.onUpdate, .delete: operations.onDelete]
                .filter { !$0.value.isEmpty }
        }

        /// The names of the timestamp fields.
        var timestamps: [String] { [createdAt, updatedAt].compactMap { $0 } }

        /// The name that `value` has under `key`, or the key itself if there is no such name. `nil` if the name is null.
        private static func name(_ value: Value?, _ key: String) -> String? {
            guard let given = value?[key] else { return key }
            return given.string
        }
    }
}

extension Directive {
    /// Whether a field with this directive is computed by a resolver that this server does not run.
    var isResolver: Bool { ["function", "http", "predictions", "sql"].contains(name.value) }
}
