internal import TidelogSynchronization

/// All layouts of a store's schema.
@_spi(Adapters) public final class SchemaLayout: Sendable {
    /// The schema of these layouts.
    public let schema: StoredSchema
    /// The models in declaration order.
    public let models: [ModelLayout]
    /// The schema that the code that opened the store declares, or `nil` if that is unknown.
    package let code: Schema?
    let embeddedTypes: [RowLayout]
    let typed = TypedLayouts()
    /// How the models' relations are followed.
    let relations: RelationLayouts
    private let byName: [String: ModelLayout]
    private let byNumber: [UInt32: ModelLayout]

    /// The layout of `schema`, which must be valid.
    public convenience init(_ schema: StoredSchema) { self.init(schema, code: nil) }

    /// The layout of `schema`, which must be valid and contain all of `code`. `code` is the schema that the code declares.
    init(_ schema: StoredSchema, code: Schema?) {
        self.schema = schema
        self.code = code
        let links = RowLinks(schema)
        embeddedTypes = links.embedded
        let codeLinks = code.map { RowLinks(schema, embeddedTypes: $0.embeddedTypes) }
        models = schema.declared.models.map { model in
            var codeRow: RowLayout?
            if let codeLinks, let declared = code?.model(named: model.name),
                declared.fields.count < model.fields.count || codeLinks.reachesViews(declared)
            {
                codeRow = codeLinks.row(of: model.restricted(to: declared.fields), schema)
            }
            return ModelLayout(
                number: schema.modelNumbers[model.name] ?? 0, schema: model, row: links.row(of: model, schema),
                indexNumbers: schema.indexNumbers[model.name] ?? [:], codeRow: codeRow)
        }
        byName = Dictionary(uniqueKeysWithValues: models.map { ($0.name, $0) })
        byNumber = Dictionary(uniqueKeysWithValues: models.map { ($0.number, $0) })
        relations = RelationLayouts(models, byName)
    }

    /// The model called `name`, or `nil` if there is none.
    public func model(named name: String) -> ModelLayout? { byName[name] }

    /// The model with `number`, or `nil` if there is none.
    public func model(numbered number: UInt32) -> ModelLayout? { byNumber[number] }

    /// The view of `model` with only `fields`. The model must have all of them.
    func view(of model: ModelLayout, fields: [FieldSchema]) -> ModelLayout {
        let restricted = model.schema.restricted(to: fields)
        let links = RowLinks(schema, embeddedTypes: code?.embeddedTypes)
        return ModelLayout(
            number: model.number, schema: restricted, row: links.row(of: restricted, schema),
            indexNumbers: schema.indexNumbers[model.name] ?? [:], whole: model)
    }

    /// The layouts of Swift types: for each type that was checked, its model, or a view of the model with the type's fields.
    final class TypedLayouts: Sendable {
        private let layouts = Mutex<[ObjectIdentifier: ModelLayout]>([:])

        @inline(__always)
        func layout<Value: Model>(of type: Value.Type, in schema: SchemaLayout) throws -> ModelLayout {
            if let layout = layouts.withLock({ $0[ObjectIdentifier(type)] }) { return layout }
            return try resolve(type, in: schema)
        }

        @inline(never)
        private func resolve<Value: Model>(_ type: Value.Type, in schema: SchemaLayout) throws -> ModelLayout {
            let declared = Value.schema
            var layout = try schema.required(declared.name)
            let names = Set(declared.fields.map(\.name))
            // Fields that only the store has were declared by an earlier or a different build of the code.
            let isKnown =
                declared.primaryKey == layout.schema.primaryKey
                && declared.fields.allSatisfy { field in
                    guard let stored = layout.schema.field(named: field.name) else { return false }
                    return stored.type == field.type && stored.isRequired == field.isRequired
                } && layout.schema.fields.allSatisfy { names.contains($0.name) || $0.mayBeLeftOut }
            guard isKnown else {
                throw DataStoreError(
                    .invalidSchema, "The type \(type) has other fields than the model \(declared.name) of the store.",
                    model: declared.name, recovery: "Open the store with the schema that the type belongs to.")
            }
            if layout.codeRow != nil || declared.fields.map(\.name) != layout.schema.fields.map(\.name) {
                layout = schema.view(of: layout, fields: declared.fields)
            }
            layouts.withLock { $0[ObjectIdentifier(type)] = layout }
            return layout
        }
    }

    /// The layout of the model of `type`.
    ///
    /// - Throws: ``DataStoreError`` with code `unknownModel`, or `invalidSchema` if the type's fields do not fit the store's
    ///   model.
    @inline(__always)
    package func model<Value: Model>(of type: Value.Type) throws -> ModelLayout {
        try typed.layout(of: type, in: self)
    }
}

/// The embedded types and enums to which rows refer.
private struct RowLinks {
    let embedded: [RowLayout]
    private let byName: [String: RowLayout]
    private let enums: [String: Set<String>]
    /// The embedded types that hold texts with a scalar's rule.
    private let textTypes: Set<String>
    /// The embedded types that have fewer fields than in the store, or their fields in another order.
    private let views: Set<String>

    /// - Parameter embeddedTypes: The embedded types as the code declares them, or `nil` for the store's embedded types.
    init(_ schema: StoredSchema, embeddedTypes: [EmbeddedSchema]? = nil) {
        let known = Dictionary((embeddedTypes ?? []).map { ($0.name, $0) }) { first, _ in first }
        var views = Set<String>()
        let textTypes = schema.declared.textTypes
        let enums = Dictionary(uniqueKeysWithValues: schema.declared.enums.map { ($0.name, Set($0.cases)) })
        self.textTypes = textTypes
        self.enums = enums
        embedded = schema.declared.embeddedTypes.map { type in
            let fields = known[type.name]?.fields ?? type.fields
            if fields.map(\.name) != type.fields.map(\.name) { views.insert(type.name) }
            return RowLayout(
                name: type.name, fields: fields, numbers: schema.fieldNumbers[type.name] ?? [:], textTypes: textTypes,
                enums: enums)
        }
        byName = Dictionary(uniqueKeysWithValues: embedded.map { ($0.name, $0) })
        self.views = views
        for field in embedded.lazy.flatMap(\.fields) { field.link(byName) }
    }

    /// The layout of the rows of `model`.
    func row(of model: ModelSchema, _ schema: StoredSchema) -> RowLayout {
        RowLayout(
            name: model.name, fields: model.fields, numbers: schema.fieldNumbers[model.name] ?? [:],
            textTypes: textTypes, enums: enums, embeddedTypes: byName)
    }

    /// Whether rows of `model` hold embedded values with fields that the code does not declare.
    func reachesViews(_ model: ModelSchema) -> Bool {
        guard !views.isEmpty else { return false }
        var unvisited = model.fields.map(\.type)
        var seen = Set<String>()
        while let type = unvisited.popLast() {
            switch type {
            case .list(let element, _): unvisited.append(element)
            case .embedded(let name):
                if views.contains(name) { return true }
                if seen.insert(name).inserted { unvisited += byName[name]?.fields.map(\.type) ?? [] }
            default: break
            }
        }
        return false
    }
}

extension ModelSchema {
    /// The model with only the fields that `fields` names, in that order, and the indexes that need no other fields.
    fileprivate func restricted(to fields: [FieldSchema]) -> ModelSchema {
        var restricted = self
        restricted.fields = fields.compactMap { field(named: $0.name) }
        let names = Set(restricted.fields.map(\.name))
        restricted.indexes = indexes.filter { $0.fields.allSatisfy(names.contains) }
        return restricted
    }
}
