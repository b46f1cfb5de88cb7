import TidelogGraphQLExecution

extension Document {
    /// The text of the document with definitions, fields, arguments and cases sorted by name.
    func sortedText() -> String {
        definitions.map { definition in
            guard case .type(let type) = definition else { return definition.printed() }
            return Document.Definition.type(type.sorted()).printed()
        }.sorted().joined(separator: "\n\n")
    }
}

extension TypeDefinition {
    fileprivate func sorted() -> TypeDefinition {
        var type = self
        for index in type.fields.indices { type.fields[index].arguments.sort { $0.name.value < $1.name.value } }
        type.fields.sort { $0.name.value < $1.name.value }
        type.inputFields.sort { $0.name.value < $1.name.value }
        type.enumValues.sort { $0.name.value < $1.name.value }
        return type
    }
}
