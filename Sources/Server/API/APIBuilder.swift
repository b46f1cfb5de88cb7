internal import TidelogCore
internal import TidelogGraphQL
internal import TidelogSDL
internal import TidelogWire

/// Makes the API of a schema document, in steps.
struct APIBuilder {
    let document: SchemaDocument
    var schema: Schema { document.schema }
    /// The models, each with its declaration in the document.
    private(set) var sources: [ModelSource] = []
    /// The types made so far, without Query, Mutation and Subscription.
    var types: [TypeDefinition] = []
    /// The fields of Query, Mutation and Subscription, each with its meaning.
    var rootFields: [OperationType: [(definition: FieldDefinition, field: RootField)]] = [:]
    /// The scalars for which conditions on sort fields are needed.
    var keyConditionScalars: Set<String> = []
    var models: [String: ModelAPI] = [:]
    var notServed: [SchemaDiagnostic] = []

    init(_ document: SchemaDocument) { self.document = document }

    mutating func api() throws(SchemaDiagnostic) -> API {
        for model in schema.models { sources.append(try ModelSource(model, in: document)) }
        noteWhatIsNotServed()
        addValueTypes()
        for source in sources {
            try checkMetadata(of: source)
            addModel(source)
            addInputs(of: source)
            addFilters(of: source)
            addQueries(of: source)
            addMutations(of: source)
            addSubscriptions(of: source)
        }
        addOwnSubscriptions()
        addFilterInputs()
        try checkNames()
        return API(
            schema: schema, document: apiDocument(), models: models,
            rootFields: rootFields.mapValues { $0.map(\.field) }, notServed: notServed)
    }

    func source(_ model: String) -> ModelSource? { sources.first { $0.schema.name == model } }

    mutating func addRootField(_ operation: OperationType, _ definition: FieldDefinition, _ field: RootField) {
        rootFields[operation, default: []].append((definition, field))
    }

    // MARK: The document

    private func apiDocument() -> Document {
        var definitions: [TypeDefinition] = []
        let roots: [(OperationType, String)] = [
            (.query, "Query"), (.mutation, "Mutation"), (.subscription, "Subscription"),
        ]
        for (operation, name) in roots {
            guard let fields = rootFields[operation], !fields.isEmpty else { continue }
            definitions.append(.type(name, fields.map(\.definition)))
        }
        definitions += types
        let used = Set(definitions.flatMap(\.referredTypes))
        let scalars = used.filter { $0.hasPrefix("AWS") }.sorted().map { TypeDefinition.scalar(named: $0) }
        let directives = (rootFields[.subscription] ?? []).isEmpty ? [] : [Definition.directive(.awsSubscribe)]
        return Document(definitions: directives + (scalars + definitions).map { .type($0) })
    }

    // MARK: Checks

    /// Checks that no model declares fields with the names of the server's metadata or of the filters' combinations. A model
    /// may declare a metadata field with the type that the server gives it.
    private func checkMetadata(of source: ModelSource) throws(SchemaDiagnostic) {
        for name in Metadata.names + ["and", "or", "not"] {
            guard let field = source.schema.field(named: name) else { continue }
            if field.type == Metadata.fields.first(where: { $0.name == name })?.type { continue }
            let span = source.definition?.fields.first(named: name)?.name.span ?? source.span
            throw document.diagnostic("the API of \(source.schema.name) has \"\(name)\" of its own", at: span)
        }
    }

    /// Checks that type names, field names and argument names are unique where they must be.
    private func checkNames() throws(SchemaDiagnostic) {
        for type in document.document.typeDefinitions where ServerModels.names.contains(type.name.value) {
            throw document.diagnostic(
                "the server has a \"\(type.name.value)\" of its own", at: type.name.span,
                suggestion: "choose another name")
        }
        var seen: Set<String> = ["Query", "Mutation", "Subscription"]
        for type in types where !seen.insert(type.name.value).inserted {
            throw clash("type", type.name.value)
        }
        for operation in OperationType.allCases {
            var names = Set<String>()
            for (definition, field) in rootFields[operation] ?? [] {
                guard names.insert(definition.name.value).inserted else {
                    throw document.diagnostic(
                        "the API has two fields \"\(definition.name.value)\" for a \(operation.rawValue)",
                        at: source(field.model)?.span ?? .none)
                }
                guard Set(definition.arguments.map(\.name.value)).count == definition.arguments.count else {
                    throw document.diagnostic(
                        "two arguments of \"\(definition.name.value)\" have one name",
                        at: source(field.model)?.span ?? .none)
                }
            }
        }
        guard rootFields[.query]?.isEmpty == false else {
            throw document.diagnostic("the API has no query", at: sources.first?.span ?? .none)
        }
    }

    private func clash(_ kind: String, _ name: String) -> SchemaDiagnostic {
        let span = document.document.typeDefinitions.first { $0.name.value == name }?.name.span ?? .none
        return document.diagnostic(
            "the API has a \(kind) \"\(name)\" of its own", at: span, suggestion: "choose another name")
    }
}

extension DirectiveDefinition {
    /// The directive `@aws_subscribe` of a Subscription field. It names the mutations of the subscription.
    fileprivate static let awsSubscribe = DirectiveDefinition(
        name: "aws_subscribe", arguments: [InputValueDefinition("mutations", .list(of: .named("String")))],
        locations: [.fieldDefinition])
}

extension TypeDefinition {
    /// The names of the types of all fields and arguments.
    fileprivate var referredTypes: [String] {
        switch self {
        case .object(let type):
            type.fields.flatMap { field in
                [field.type.innermost.name.value] + field.arguments.map(\.type.innermost.name.value)
            }
        case .inputObject(let type): type.fields.map(\.type.innermost.name.value)
        case .scalar, .interface, .union, .enum: []
        }
    }
}
