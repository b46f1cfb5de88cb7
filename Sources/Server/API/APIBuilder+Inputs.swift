internal import TidelogAgreement
internal import TidelogCore
internal import TidelogGraphQLExecution

extension APIBuilder {
    /// Adds the input types of creations, updates and deletions.
    mutating func addInputs(of source: ModelSource) {
        let mutations = source.settings.mutations
        if mutations[.create] != nil { types.append(.input(source.names.createInput, createFields(of: source))) }
        if mutations[.update] != nil { types.append(.input(source.names.updateInput, updateFields(of: source))) }
        if mutations[.delete] != nil { types.append(.input(source.names.deleteInput, deleteFields(of: source))) }
    }

    /// The input field for `field`. An embedded value has its own input type.
    func inputField(_ field: FieldSchema) -> InputValueDefinition {
        guard case .embedded(let name) = field.type.innermost else {
            return InputValueDefinition(field.name, field.reference())
        }
        return InputValueDefinition(field.name, field.reference(TypeNames.embeddedInput(name)))
    }

    private func createFields(of source: ModelSource) -> [InputValueDefinition] {
        source.fields.map { field in
            var input = inputField(field)
            if field.isOptionalWhenCreated(timestamps: source.settings.timestamps) { input.type = input.type.nullable }
            return input
        } + versionFields + source.foreignKeys.map { inputField($0) }
    }

    private func updateFields(of source: ModelSource) -> [InputValueDefinition] {
        (source.fields + source.foreignKeys).map { field in
            var input = inputField(field)
            if !source.schema.primaryKey.contains(field.name) { input.type = input.type.nullable }
            return input
        } + versionFields
    }

    private func deleteFields(of source: ModelSource) -> [InputValueDefinition] {
        source.keyArguments + versionFields
    }

    /// The field for the version that a change was made to, if the API has versions.
    private var versionFields: [InputValueDefinition] {
        kind.metadata.filter { $0.name == Metadata.version }.map { InputValueDefinition($0.name, $0.baseName) }
    }
}

extension ModelSource {
    /// The arguments that identify one record: a value for each field of the key. Without `@primaryKey`, the argument is an
    /// `ID` for clients, even if the document declares the field as another text type.
    var keyArguments: [InputValueDefinition] {
        schema.primaryKey.compactMap { schema.field(named: $0) }.map { field in
            let type = !declaresKey && field.type == .string ? "ID" : field.baseName
            return InputValueDefinition(field.name, .named(type).required)
        }
    }
}

extension FieldSchema {
    /// Whether the server fills in this field if a new record has no value for it.
    fileprivate func isOptionalWhenCreated(timestamps: [String]) -> Bool {
        if defaultValue != nil { return true }
        if name == "id" { return type == .id || type == .string }
        let isTime = timestamps.contains(name) || name == "createdAt" || name == "updatedAt"
        return isTime && ["String", "AWSDateTime"].contains(baseName) && !type.isList
    }
}

// MARK: - Filters and conditions

extension APIBuilder {
    /// Adds the input types for the filters of lists, the conditions of mutations and the filters of subscriptions.
    mutating func addFilters(of source: ModelSource) {
        let names = source.names
        let owners = source.impliedOwnerFields.map { InputValueDefinition($0, TypeNames.filter(of: "String")) }
        let deleted = kind.metadata.filter { $0.name == Metadata.deleted }.compactMap { filterField($0) }
        let times = source.timestamps.compactMap { filterField($0) }
        let foreign = source.foreignKeys.compactMap { filterField($0) }
        let own = source.fields.compactMap { filterField($0) }

        if isPaged(source) {
            types.append(
                .input(names.filter, own + times + Self.combinations(names.filter) + deleted + foreign + owners))
        }
        if !source.settings.mutations.isEmpty {
            let keys = Set(source.schema.primaryKey + ["id"])
            types.append(
                .input(
                    names.condition,
                    own.filter { !keys.contains($0.name.value) } + Self.combinations(names.condition) + deleted
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
                    + Self.combinations(names.subscriptionFilter).dropLast() + deleted + ownerFields))
    }

    /// The fields `and`, `or` and `not`, which combine conditions of one type.
    private static func combinations(_ name: String) -> [InputValueDefinition] {
        let list = TypeReference.list(.named(name))
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
