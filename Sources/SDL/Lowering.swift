internal import TidelogAgreement
internal import TidelogGraphQL
internal import TidelogSchema
internal import TidelogSuggestion

/// Converts a document in the schema language to a ``Schema``, in steps.
struct Lowering {
    /// The document. Extensions are merged into their types.
    var document: Document
    private let source: [UInt8]
    private let lines: SourceLines
    /// The type definitions that a field may refer to, by name.
    var types: [String: TypeDefinition] = [:]
    /// The cases of the enums, by name.
    private(set) var cases: [String: Set<String>] = [:]
    /// The rule for models without `@auth`.
    var globalAuthRule: Value?
    /// The directives that the document itself defines.
    var ownDirectives: Set<String> = []
    var models: [ModelDraft] = []
    /// The names of the types for queries, mutations and subscriptions. The document may rename them.
    private(set) var rootTypes: Set<String> = ["Query", "Mutation", "Subscription"]

    init(_ document: Document, source: [UInt8]) {
        self.document = document
        self.source = source
        lines = SourceLines(source)
    }

    mutating func schema() throws(SchemaDiagnostic) -> Schema {
        try collect()
        try checkTypeDirectives()
        try checkMappedNames()
        try lowerSettings()
        try lowerModels()
        guard !models.isEmpty else { throw failure("the schema has no type with @model", .none) }
        try lowerRelations()
        try joinModels()
        try checkOperations()
        for index in models.indices { try addTimestamps(index) }
        for index in models.indices { models[index].sortIndexes() }
        let schema = Schema(
            models: models.map(\.schema), embeddedTypes: try lowerEmbeddedTypes(), enums: lowerEnums())
        do {
            try schema.validate()
        } catch let error as DataStoreError {
            throw failure(error.message, error.model.map { span(ofModel: $0) } ?? .none)
        } catch {
            throw failure("the schema is not usable", .none)
        }
        return schema
    }

    /// The names of each model's members in the order of the document, by the model's name.
    var memberNames: [String: [String]] {
        var names: [String: [String]] = [:]
        for model in models { names[model.schema.name] = model.definition?.fields.map(\.name.value) }
        return names
    }

    /// Whether the type `name` is a model.
    func isModel(_ name: String) -> Bool {
        guard let type = types[name], type.kind == .object else { return false }
        return type.directives.first(named: "model") != nil
    }

    /// Collects the definitions by kind. Definitions that a store does not need are left out.
    private mutating func collect() throws(SchemaDiagnostic) {
        for definition in document.directiveDefinitions { ownDirectives.insert(definition.name.value) }
        for definition in document.schemaDefinitions + document.schemaExtensions {
            for root in definition.operationTypes { rootTypes.insert(root.type.value) }
        }
        try mergeExtensions()
        for definition in document.definitions {
            switch definition {
            case .operation, .fragment: throw failure("a schema holds no operations and fragments", definition.span)
            case .schema, .directive, .schemaExtension, .typeExtension: break
            case .type(let type):
                if rootTypes.contains(type.name.value) { continue }
                try check(name: type.name)
                guard Vocabulary.scalars[type.name.value] == nil else {
                    if type.kind == .scalar { continue }
                    throw failure("\"\(type.name.value)\" is the name of a scalar", type.name.span)
                }
                guard types.updateValue(type, forKey: type.name.value) == nil else {
                    throw failure("the type \(type.name.value) is declared twice", type.name.span)
                }
                if type.kind == .enum { cases[type.name.value] = try distinctCases(of: type) }
            }
        }
    }

    /// The object types of the document in order, without Query, Mutation and Subscription.
    var objectTypes: [TypeDefinition] {
        document.typeDefinitions.filter { $0.kind == .object && types[$0.name.value] != nil }
    }

    /// Checks that no two models have operations with the same name, for example `Datum` and `Data`, whose plurals are equal.
    /// Models that stay on the device have no operations.
    private func checkOperations() throws(SchemaDiagnostic) {
        let named = models.map(\.schema).filter { !$0.isLocalOnly }.map { model in
            (name: model.name, operations: ModelOperations(model: model.name, directives: model.directives))
        }
        guard let clash = ModelOperations.NameClash.first(among: named) else { return }
        throw failure(clash.message, span(ofModel: clash.models.1), clash.advice)
    }

    /// The place in the document at which the model `name` is named. For a join model, this is the `@manyToMany` that names it.
    private func span(ofModel name: String) -> SourceSpan {
        if let definition = types[name] { return definition.name.span }
        let relations = models.flatMap(\.relations)
        return relations.last { $0.association.kind == .manyToMany && $0.association.indexOrRelationName == name }?
            .directive.span ?? .none
    }

    private func lowerEnums() -> [EnumSchema] {
        document.typeDefinitions.filter { $0.kind == .enum }.map { type in
            EnumSchema(
                name: type.name.value, cases: type.enumValues.map(\.name.value),
                documentation: type.description?.value)
        }
    }

    private func distinctCases(of type: TypeDefinition) throws(SchemaDiagnostic) -> Set<String> {
        var cases = Set<String>(minimumCapacity: type.enumValues.count)
        for value in type.enumValues {
            try check(name: value.name)
            guard cases.insert(value.name.value).inserted else {
                throw failure("the case \(value.name.value) is declared twice", value.name.span)
            }
        }
        return cases
    }

    /// A relation that is being lowered.
    struct RelationDraft {
        let field: FieldDefinition
        let directive: Directive
        var association: Association
        /// Whether a `@belongsTo` without its own fields already refers to this relation.
        var isClaimed = false
    }

    /// A model that is being lowered.
    struct ModelDraft {
        /// The declaration in the document; `nil` for a join model.
        let definition: TypeDefinition?
        var schema: ModelSchema
        /// The relation fields, in the order of their declaration.
        var relations: [RelationDraft] = []

        /// Sorts the indexes by the position of their first field.
        mutating func sortIndexes() {
            let ordinals = Dictionary(schema.fields.enumerated().map { ($1.name, $0) }) { first, _ in first }
            schema.indexes = schema.indexes.enumerated()
                .sorted {
                    (ordinals[$0.element.fields[0]] ?? 0, $0.offset) < (ordinals[$1.element.fields[0]] ?? 0, $1.offset)
                }
                .map(\.element)
            schema.associations = relations.map(\.association)
        }
    }
}

// MARK: - Failures

extension Lowering {
    func failure(_ message: String, _ span: SourceSpan, _ suggestion: String? = nil) -> SchemaDiagnostic {
        SchemaDiagnostic(message, at: lines.location(at: span.start, in: source), suggestion: suggestion)
    }

    func check(name: Name) throws(SchemaDiagnostic) {
        guard !name.value.hasPrefix("__") else {
            throw failure("names that start with two underscores are GraphQL's own", name.span)
        }
        guard name.value.utf8.count <= Limits.nameByteCount else {
            throw failure("the name is longer than \(Limits.nameByteCount) bytes", name.span)
        }
    }
}

// MARK: - Extensions

extension Lowering {
    /// Merges each `extend` into the declaration of its type. Both may be anywhere in the document.
    mutating func mergeExtensions() throws(SchemaDiagnostic) {
        for type in document.typeExtensions {
            let name = type.name
            let place = document.definitions.firstIndex {
                if case .type(let definition) = $0 { definition.name.value == name.value } else { false }
            }
            guard let place, case .type(let definition) = document.definitions[place] else {
                if rootTypes.contains(name.value), type.kind == .object {
                    document.definitions.append(
                        .type(TypeDefinition(.object, name: name, fields: type.fields, span: type.span)))
                    continue
                }
                throw failure(
                    "there is no type \(name.value) to extend", name.span,
                    Suggestion.didYouMean(name.value, among: document.typeDefinitions.map(\.name.value)))
            }
            if let directive = type.directives.first {
                throw failure(
                    "directives belong on the declaration of \(name.value), not on what extends it", directive.span)
            }
            guard let merged = merged(definition, type) else {
                throw failure("\(name.value) is declared as something else than what extends it", name.span)
            }
            document.definitions[place] = .type(merged)
        }
    }

    private func merged(_ definition: TypeDefinition, _ addition: TypeDefinition) -> TypeDefinition? {
        guard definition.kind == addition.kind else { return nil }
        var merged = definition
        switch definition.kind {
        case .object: merged.fields += addition.fields
        case .enum: merged.enumValues += addition.enumValues
        // Records do not contain values of these types, so their extensions are ignored.
        case .interface, .union, .inputObject, .scalar: break
        }
        return merged
    }
}
