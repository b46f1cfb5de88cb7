internal import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution
internal import TidelogSDL

extension APIBuilder {
    /// Adds the queries for one record, for lists, for changed records, and by indexes.
    mutating func addQueries(of source: ModelSource) {
        let (model, names) = (source.schema.name, source.names)
        let page = [
            InputValueDefinition("filter", names.filter), InputValueDefinition("limit", "Int"),
            InputValueDefinition("nextToken", "String"),
        ]
        let direction = InputValueDefinition("sortDirection", TypeNames.sortDirection)
        if let name = source.settings.get {
            addRootField(
                .query, FieldDefinition(name, source.keyArguments, .named(model)),
                RootField(name: name, model: model, kind: .get))
        }
        // The input type for the key condition is needed even without the list query, because connections use it too.
        let key = source.declaresKey ? RootField.KeyArguments(index: nil, fields: source.schema.primaryKey) : nil
        let keyArguments = key.map { arguments($0, of: source.schema) } ?? []
        if let name = source.settings.list {
            let arguments = key == nil ? page : keyArguments + page + [direction]
            addRootField(
                .query, FieldDefinition(name, arguments, .named(names.connection)),
                RootField(name: name, model: model, kind: .list(key)))
        }
        if let name = syncQuery(of: source) {
            let arguments = page + [InputValueDefinition("lastSync", "AWSTimestamp")]
            addRootField(
                .query, FieldDefinition(name, arguments, .named(names.connection)),
                RootField(name: name, model: model, kind: .sync))
        }
        for index in source.schema.indexes {
            guard let name = index.queryField, let key = RootField.KeyArguments(index: index.name, fields: index.fields)
            else {
                continue
            }
            var fields = arguments(key, of: source.schema)
            fields[0].type = fields[0].type.required
            addRootField(
                .query, FieldDefinition(name, fields + [direction] + page, .named(names.connection)),
                RootField(name: name, model: model, kind: .index(key)))
        }
    }

    /// The name of the query for changed records; `nil` if there is none.
    func syncQuery(of source: ModelSource) -> String? { kind.hasSyncQueries ? source.settings.sync : nil }

    /// The arguments of a key or index: its first field, and the condition on the other fields.
    private mutating func arguments(_ key: RootField.KeyArguments, of model: ModelSchema) -> [InputValueDefinition] {
        let type = model.field(named: key.partition)?.baseName ?? "ID"
        let sort = key.sort.map { sortArgument($0, of: model, index: key.index) }
        return [InputValueDefinition(key.partition, type)] + (sort.map { [$0] } ?? [])
    }

    /// The argument for a condition on sort fields. This method also adds the input types of the argument.
    mutating func sortArgument(
        _ sort: RootField.SortArgument, of model: ModelSchema, index: String?
    ) -> InputValueDefinition {
        if sort.fields.count == 1 {
            let type = model.field(named: sort.name)?.baseName ?? "String"
            keyConditionScalars.insert(TypeNames.filterScalar(type) ?? "String")
            return InputValueDefinition(sort.name, TypeNames.keyCondition(of: type))
        }
        let names = TypeNames(model: model.name)
        let condition = names.compositeKeyCondition(index: index)
        if !types.contains(where: { $0.name.value == condition }) {
            let input = names.compositeKeyInput(index: index)
            types.append(.input(condition, ScalarFilters.compositeKeyCondition(on: input)))
            types.append(.input(input, compositeFields(sort.fields, of: model)))
        }
        return InputValueDefinition(sort.name, condition)
    }

    /// The values of sort fields. The last field has the scalar that represents its type in filters.
    private func compositeFields(_ names: [String], of model: ModelSchema) -> [InputValueDefinition] {
        names.map { name in
            let type = model.field(named: name)?.baseName ?? "String"
            return InputValueDefinition(name, name == names.last ? TypeNames.filterScalar(type) ?? type : type)
        }
    }
}

extension RootField.KeyArguments {
    /// The arguments for a key of `fields`; `nil` if there are no fields.
    init?(index: String?, fields: [String]) {
        guard let first = fields.first else { return nil }
        self.init(index: index, partition: first, sort: RootField.SortArgument(behind: fields))
    }
}

extension RootField.SortArgument {
    /// The condition on all fields of `key` after the first; `nil` if there are none.
    init?(behind key: [String]) {
        let fields = Array(key.dropFirst())
        guard let first = fields.first else { return nil }
        self.init(name: fields.count == 1 ? first : Names.compositeSortArgument(fields), fields: fields)
    }
}

// MARK: - Mutations

extension APIBuilder {
    mutating func addMutations(of source: ModelSource) {
        let (model, names) = (source.schema.name, source.names)
        for mutation in Mutation.allCases {
            guard let name = source.settings.mutations[mutation] else { continue }
            let input =
                switch mutation {
                case .create: names.createInput
                case .update: names.updateInput
                case .delete: names.deleteInput
                }
            let arguments = [
                InputValueDefinition("input", .named(input).required),
                InputValueDefinition("condition", names.condition),
            ]
            addRootField(
                .mutation, FieldDefinition(name, arguments, .named(model)),
                RootField(name: name, model: model, kind: .mutation(mutation)))
        }
    }
}

// MARK: - Subscriptions

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
                        RootField.SubscriptionArguments(
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
            let source = source(field.type.innermost.value), field.type.listElement == nil
        else { return nil }
        let names = (given.elements ?? [given]).compactMap(\.string)
        let mutations = names.compactMap { name in
            Mutation.allCases.first { source.settings.mutations[$0] == name }
        }
        guard !names.isEmpty, mutations.count == names.count else { return nil }
        for argument in field.arguments {
            guard let own = source.schema.field(named: argument.name.value), argument.type.listElement == nil,
                argument.type.innermost.value == own.baseName, !own.type.isList
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
                    RootField.SubscriptionArguments(
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
            arguments: [Argument(name: "mutations", value: .list(names))])
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
