internal import TidelogCore
internal import TidelogGraphQL
internal import TidelogSDL

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
        let standard =
            switch operation {
            case .query: "Query"
            case .mutation: "Mutation"
            case .subscription: "Subscription"
            }
        let name = roots.first { $0.operation == operation }?.type.name.value ?? standard
        return document.typeDefinitions.flatMap { type -> [FieldDefinition] in
            if case .object(let type) = type, type.name.value == name { type.fields } else { [] }
        }
    }
}
