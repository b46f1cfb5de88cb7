internal import TidelogCore
internal import TidelogGraphQL
internal import TidelogSDL
internal import TidelogWire

extension APIBuilder {
    /// Adds a subscription for each mutation, or the subscriptions that `@model` names.
    mutating func addSubscriptions(of source: ModelSource) {
        let (model, settings) = (source.schema.name, source.settings)
        var mutations: [(name: String, mutations: [Mutation])] = []
        for mutation in Mutation.allCases {
            for name in settings.subscriptions[mutation] ?? [] {
                if let place = mutations.firstIndex(where: { $0.name == name }) {
                    if !mutations[place].mutations.contains(mutation) { mutations[place].mutations.append(mutation) }
                } else {
                    mutations.append((name, [mutation]))
                }
            }
        }
        let owners = settings.level == .on ? source.rules.listeningOwnerFields : []
        for (name, mutations) in mutations {
            let arguments =
                [InputValueDefinition("filter", source.names.subscriptionFilter)]
                + owners.map { InputValueDefinition($0, "String") }
            let names = mutations.compactMap { settings.mutations[$0] }
            addRootField(
                .subscription,
                FieldDefinition(name, arguments, .named(model), directives: [.awsSubscribe(to: names)]),
                RootField(
                    name: name, model: model,
                    kind: .subscription(
                        SubscriptionArguments(
                            mutations: mutations, takesFilter: true, fields: owners, ownerFields: owners,
                            isAuthorized: settings.level == .on))))
        }
    }

    /// Adds the subscriptions that the document itself declares. Such a subscription is about mutations of one model, and its
    /// arguments are fields of that model. A declared subscription replaces a generated one of the same name.
    mutating func addOwnSubscriptions() {
        for field in document.rootFields(of: .subscription) {
            guard let own = ownSubscription(field) else {
                notServed.append(
                    document.diagnostic(
                        "\(field.name.value) is no subscription to mutations of one model and is not served",
                        at: field.name.span))
                continue
            }
            rootFields[.subscription]?.removeAll { $0.field.name == own.field.name }
            addRootField(.subscription, own.definition, own.field)
        }
    }

    private func ownSubscription(_ field: FieldDefinition) -> (definition: FieldDefinition, field: RootField)? {
        guard let given = field.directives.first(named: "aws_subscribe")?.arguments["mutations"],
            let source = source(field.type.innermost.name.value), field.type.listElement == nil
        else { return nil }
        let names = (given.elements ?? [given]).compactMap(\.string)
        let mutations = names.compactMap { name in
            Mutation.allCases.first { source.settings.mutations[$0] == name }
        }
        guard !names.isEmpty, mutations.count == names.count else { return nil }
        for argument in field.arguments {
            guard let own = source.schema.field(named: argument.name.value), argument.type.listElement == nil,
                argument.type.innermost.name.value == own.baseName, !own.type.isList
            else { return nil }
        }
        let owners = source.rules.listeningOwnerFields
        let fields = field.arguments.map(\.name.value)
        let arguments = field.arguments.map { InputValueDefinition($0.name.value, $0.type) }
        return (
            FieldDefinition(
                field.name.value, arguments, field.type.nullable, directives: [.awsSubscribe(to: names)]),
            RootField(
                name: field.name.value, model: source.schema.name,
                kind: .subscription(
                    SubscriptionArguments(
                        mutations: mutations, takesFilter: false, fields: fields,
                        ownerFields: owners.filter(fields.contains), isAuthorized: true)))
        )
    }
}

extension Directive {
    fileprivate static func awsSubscribe(to mutations: [String]) -> Directive {
        let names = mutations.map { Value.string(StringValue(value: $0)) }
        return Directive(
            name: "aws_subscribe",
            arguments: [Argument(name: "mutations", value: .list(ListValue(values: names)))])
    }
}

extension AccessRules {
    /// The fields that hold a single owner, from the rules that allow `listen`.
    fileprivate var listeningOwnerFields: [String] {
        var names: [String] = []
        for rule in all where rule.operations.contains(.listen) {
            guard case .owner(let name, isList: false, _) = rule.subject, !names.contains(name) else { continue }
            names.append(name)
        }
        return names
    }
}
