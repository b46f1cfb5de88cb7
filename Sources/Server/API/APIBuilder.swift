internal import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution
internal import TidelogSDL

/// Makes the API of a schema document, in steps.
struct APIBuilder {
    let document: SchemaDocument
    let kind: APIKind
    let schema: Schema
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

    init(_ document: SchemaDocument, _ kind: APIKind) {
        self.document = document
        self.kind = kind
        schema = kind == .timestamps ? document.schemaOfSecondGeneration : document.schema
    }

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
            kind: kind, schema: schema, document: apiDocument(), models: models,
            rootFields: rootFields.mapValues { $0.map(\.field) }, notServed: notServed)
    }

    func source(_ model: String) -> ModelSource? { sources.first { $0.schema.name == model } }

    mutating func addRootField(_ operation: OperationType, _ definition: FieldDefinition, _ field: RootField) {
        rootFields[operation, default: []].append((definition, field))
    }

    // MARK: The document

    private func apiDocument() -> Document {
        var definitions: [TypeDefinition] = []
        for operation in OperationType.allCases {
            guard let fields = rootFields[operation], !fields.isEmpty else { continue }
            definitions.append(.type(operation.standardTypeName, fields.map(\.definition)))
        }
        definitions += types
        let used = Set(definitions.flatMap(\.namedTypes))
        let scalars = used.filter { $0.hasPrefix("AWS") }.sorted().map { TypeDefinition.scalar(named: $0) }
        let directives = (rootFields[.subscription] ?? []).isEmpty ? [] : [Document.Definition.directive(.awsSubscribe)]
        return Document(definitions: directives + (scalars + definitions).map { .type($0) })
    }

    // MARK: Checks

    /// Checks that no model declares fields with the names of the server's metadata or of the filters' combinations. A model
    /// may declare a metadata field with the type that the server gives it, if clients see the metadata.
    private func checkMetadata(of source: ModelSource) throws(SchemaDiagnostic) {
        for name in Metadata.names + ["and", "or", "not"] {
            guard let field = source.schema.field(named: name) else { continue }
            if field.type == kind.metadata.first(where: { $0.name == name })?.type { continue }
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
        name: "aws_subscribe", arguments: [InputValueDefinition("mutations", .list(.named("String")))],
        locations: [.fieldDefinition])
}

// MARK: - Parts that are not served

extension APIBuilder {
    /// Notes each part of the document that this server does not support, with its name.
    mutating func noteWhatIsNotServed() {
        for source in sources {
            guard let definition = source.definition else { continue }
            if let directive = definition.directives.first(named: "searchable") {
                note(directive, on: definition.name.value)
            }
            for field in definition.fields {
                for directive in field.directives where directive.isResolver {
                    note(directive, on: "\(definition.name.value).\(field.name.value)")
                }
            }
            noteProviders(of: source)
        }
        for operation in [OperationType.query, .mutation, .subscription] {
            for field in document.rootFields(of: operation) {
                let resolvers = field.directives.filter(\.isResolver)
                for directive in resolvers { note(directive, on: field.name.value) }
                if resolvers.isEmpty, operation != .subscription {
                    notServed.append(
                        document.diagnostic(
                            "\(field.name.value) has no resolver here and is not served", at: field.name.span))
                }
            }
        }
    }

    private mutating func note(_ directive: Directive, on place: String) {
        notServed.append(
            document.diagnostic("@\(directive.name.value) on \(place) is not served", at: directive.span))
    }

    /// Notes the rules that no caller can satisfy, because this server does not support their provider.
    private mutating func noteProviders(of source: ModelSource) {
        for provider in [AccessRule.Provider.iam, .function] {
            guard source.rules.all.contains(where: { $0.provider == provider }) else { continue }
            notServed.append(
                document.diagnostic(
                    "rules of \(source.schema.name) with the provider \(provider.rawValue) allow no caller here: "
                        + "it is not served", at: source.authSpan))
        }
    }
}

extension ModelSource {
    /// The position of the first `@auth` directive of the model or of its fields.
    fileprivate var authSpan: SourceSpan {
        let directives = (definition?.directives ?? []) + (definition?.fields.flatMap(\.directives) ?? [])
        return directives.first(named: "auth")?.span ?? span
    }
}

extension SchemaDocument {
    /// The fields of Query, Mutation or Subscription. The document may give these types other names.
    func rootFields(of operation: OperationType) -> [FieldDefinition] {
        let roots =
            document.schemaDefinitions.flatMap(\.operationTypes) + document.schemaExtensions.flatMap(\.operationTypes)
        let name = roots.first { $0.operation == operation }?.type.value ?? operation.standardTypeName
        return document.typeDefinitions.filter { $0.kind == .object && $0.name.value == name }.flatMap(\.fields)
    }
}
