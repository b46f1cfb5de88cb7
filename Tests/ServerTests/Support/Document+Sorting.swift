import TidelogGraphQL

extension Document {
    /// The text of the document with definitions, fields, arguments and cases sorted by name.
    func sortedText() -> String {
        definitions.map { definition in
            guard case .type(let type) = definition else { return definition.printed() }
            return Definition.type(type.sorted()).printed()
        }.sorted().joined(separator: "\n\n")
    }
}

extension TypeDefinition {
    fileprivate func sorted() -> TypeDefinition {
        switch self {
        case .object(var type):
            for index in type.fields.indices { type.fields[index].arguments.sort { $0.name.value < $1.name.value } }
            type.fields.sort { $0.name.value < $1.name.value }
            return .object(type)
        case .inputObject(var type):
            type.fields.sort { $0.name.value < $1.name.value }
            return .inputObject(type)
        case .enum(var type):
            type.values.sort { $0.name.value < $1.name.value }
            return .enum(type)
        case .scalar, .interface, .union: return self
        }
    }

    /// The names of the types of the fields and of their arguments.
    var referredTypes: [String] {
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
