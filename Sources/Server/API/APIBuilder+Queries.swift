internal import TidelogCore
internal import TidelogGraphQL
internal import TidelogWire

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
        let key = source.declaresKey ? KeyArguments(index: nil, fields: source.schema.primaryKey) : nil
        let keyArguments = key.map { arguments($0, of: source.schema) } ?? []
        if let name = source.settings.list {
            let arguments = key == nil ? page : keyArguments + page + [direction]
            addRootField(
                .query, FieldDefinition(name, arguments, .named(names.connection)),
                RootField(name: name, model: model, kind: .list(key)))
        }
        if let name = source.settings.sync {
            let arguments = page + [InputValueDefinition("lastSync", "AWSTimestamp")]
            addRootField(
                .query, FieldDefinition(name, arguments, .named(names.connection)),
                RootField(name: name, model: model, kind: .sync))
        }
        for index in source.schema.indexes {
            guard let name = index.queryField, let key = KeyArguments(index: index.name, fields: index.fields) else {
                continue
            }
            var fields = arguments(key, of: source.schema)
            fields[0].type = fields[0].type.required
            addRootField(
                .query, FieldDefinition(name, fields + [direction] + page, .named(names.connection)),
                RootField(name: name, model: model, kind: .index(key)))
        }
    }

    /// The arguments of a key or index: its first field, and the condition on the other fields.
    private mutating func arguments(_ key: KeyArguments, of model: ModelSchema) -> [InputValueDefinition] {
        let type = model.field(named: key.partition)?.baseName ?? "ID"
        let sort = key.sort.map { sortArgument($0, of: model, index: key.index) }
        return [InputValueDefinition(key.partition, type)] + (sort.map { [$0] } ?? [])
    }

    /// The argument for a condition on sort fields. This method also adds the input types of the argument.
    mutating func sortArgument(
        _ sort: SortArgument, of model: ModelSchema, index: String?
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

extension KeyArguments {
    /// The arguments for a key of `fields`; `nil` if there are no fields.
    init?(index: String?, fields: [String]) {
        guard let first = fields.first else { return nil }
        self.init(index: index, partition: first, sort: SortArgument(behind: fields))
    }
}

extension SortArgument {
    /// The condition on all fields of `key` after the first; `nil` if there are none.
    init?(behind key: [String]) {
        let fields = Array(key.dropFirst())
        guard let first = fields.first else { return nil }
        self.init(name: fields.count == 1 ? first : Names.compositeSortArgument(fields), fields: fields)
    }
}
