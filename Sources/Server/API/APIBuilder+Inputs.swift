internal import TidelogCore
internal import TidelogGraphQL
internal import TidelogWire

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
        } + [Self.versionField] + source.foreignKeys.map { inputField($0) }
    }

    private func updateFields(of source: ModelSource) -> [InputValueDefinition] {
        (source.fields + source.foreignKeys).map { field in
            var input = inputField(field)
            if !source.schema.primaryKey.contains(field.name) { input.type = input.type.nullable }
            return input
        } + [Self.versionField]
    }

    private func deleteFields(of source: ModelSource) -> [InputValueDefinition] {
        source.keyArguments + [Self.versionField]
    }

    private static let versionField = InputValueDefinition(Metadata.version, "Int")
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
