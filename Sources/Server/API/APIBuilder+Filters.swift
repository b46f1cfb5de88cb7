internal import TidelogCore
internal import TidelogGraphQL
internal import TidelogWire

extension APIBuilder {
    /// Adds the input types for the filters of lists, the conditions of mutations and the filters of subscriptions.
    mutating func addFilters(of source: ModelSource) {
        let names = source.names
        let owners = source.impliedOwnerFields.map { InputValueDefinition($0, TypeNames.filter(of: "String")) }
        let deleted = InputValueDefinition(Metadata.deleted, TypeNames.filter(of: "Boolean"))
        let times = source.timestamps.compactMap { filterField($0) }
        let foreign = source.foreignKeys.compactMap { filterField($0) }
        let own = source.fields.compactMap { filterField($0) }

        if isPaged(source) {
            types.append(
                .input(names.filter, own + times + Self.combinations(names.filter) + [deleted] + foreign + owners))
        }
        if !source.settings.mutations.isEmpty {
            let keys = Set(source.schema.primaryKey + ["id"])
            types.append(
                .input(
                    names.condition,
                    own.filter { !keys.contains($0.name.value) } + Self.combinations(names.condition) + [deleted]
                        + times + foreign + owners))
        }
        guard !source.settings.subscriptions.isEmpty else { return }
        // AppSync accepts one condition per field. Where an access rule already uses a field, a client's filter cannot use it
        // too. The fields that hold owners are the exception.
        let deciding = source.rules.decidingFields
        let fields = (source.fields + source.timestamps + source.foreignKeys).filter { !deciding.contains($0.name) }
        let ownerFields = source.rules.ownerFields.map { InputValueDefinition($0.name, TypeNames.filter(of: "String")) }
        types.append(
            .input(
                names.subscriptionFilter,
                fields.compactMap { subscriptionFilterField($0) }
                    + Self.combinations(names.subscriptionFilter).dropLast() + [deleted] + ownerFields))
    }

    /// The fields `and`, `or` and `not`, which combine conditions of one type.
    private static func combinations(_ name: String) -> [InputValueDefinition] {
        let list = TypeReference.list(of: .named(name))
        return [InputValueDefinition("and", list), InputValueDefinition("or", list), InputValueDefinition("not", name)]
    }

    private func filterField(_ field: FieldSchema) -> InputValueDefinition? {
        switch field.type.innermost {
        case .embedded: return nil
        case .enumeration(let name):
            let type = field.type.isList ? TypeNames.listFilter(of: name) : TypeNames.filter(of: name)
            return InputValueDefinition(field.name, type)
        default: return InputValueDefinition(field.name, TypeNames.filter(of: field.baseName))
        }
    }

    private func subscriptionFilterField(_ field: FieldSchema) -> InputValueDefinition? {
        if case .embedded = field.type.innermost { return nil }
        return InputValueDefinition(field.name, TypeNames.subscriptionFilter(of: field.baseName))
    }

    // MARK: Filters of single values

    /// Adds the inputs that are the same for every model, and the inputs for the enums and key conditions that this API uses.
    mutating func addFilterInputs() {
        addEnum(TypeNames.attributeTypes, ScalarFilters.attributeTypes)
        addEnum(TypeNames.sortDirection, ["ASC", "DESC"])
        types.append(.input(TypeNames.size, ScalarFilters.size))
        for scalar in ScalarFilters.scalars {
            types.append(.input(TypeNames.filter(of: scalar), ScalarFilters.filter(of: scalar)))
            types.append(
                .input(TypeNames.subscriptionFilter(of: scalar), ScalarFilters.subscriptionFilter(of: scalar)))
        }
        for scalar in keyConditionScalars.sorted() {
            types.append(.input(TypeNames.keyCondition(of: scalar), ScalarFilters.keyCondition(of: scalar)))
        }
        var seen = Set<String>()
        for field in sources.flatMap(\.fields) {
            guard case .enumeration(let name) = field.type.innermost else { continue }
            let filter = field.type.isList ? TypeNames.listFilter(of: name) : TypeNames.filter(of: name)
            guard seen.insert(filter).inserted else { continue }
            types.append(.input(filter, ScalarFilters.enumFilter(of: name, isList: field.type.isList)))
        }
    }

    /// Adds an enum that every API has, unless the document declares the enum with the same cases.
    private mutating func addEnum(_ name: String, _ cases: [String]) {
        if schema.enums.contains(where: { $0.name == name && Set($0.cases) == Set(cases) }) { return }
        types.append(.enumType(name, cases))
    }
}
