/// The parts of a type definition of any kind. A list is empty if the kind has no such parts.
extension TypeDefinition {
    var fields: [FieldDefinition] {
        switch self {
        case .object(let type): type.fields
        case .interface(let type): type.fields
        default: []
        }
    }

    var inputFields: [InputValueDefinition] {
        if case .inputObject(let type) = self { type.fields } else { [] }
    }

    var enumValues: [EnumValueDefinition] {
        if case .enum(let type) = self { type.values } else { [] }
    }

    var interfaces: [NamedType] {
        switch self {
        case .object(let type): type.interfaces
        case .interface(let type): type.interfaces
        default: []
        }
    }

    var members: [NamedType] {
        if case .union(let type) = self { type.members } else { [] }
    }

    /// The names of the types of all fields and arguments.
    var namedTypes: [String] {
        fields.flatMap { [$0.type] + $0.arguments.map(\.type) }.map(\.innermost.name.value)
            + inputFields.map(\.type.innermost.name.value)
    }

    /// This definition with the additions of an extension (§3.4.3); `nil` if the two have different kinds.
    func extended(by addition: TypeDefinition) -> TypeDefinition? {
        switch (self, addition) {
        case (.scalar(var type), .scalar(let other)):
            type.directives += other.directives
            return .scalar(type)
        case (.object(var type), .object(let other)):
            type.interfaces += other.interfaces
            type.directives += other.directives
            type.fields += other.fields
            return .object(type)
        case (.interface(var type), .interface(let other)):
            type.interfaces += other.interfaces
            type.directives += other.directives
            type.fields += other.fields
            return .interface(type)
        case (.union(var type), .union(let other)):
            type.directives += other.directives
            type.members += other.members
            return .union(type)
        case (.enum(var type), .enum(let other)):
            type.directives += other.directives
            type.values += other.values
            return .enum(type)
        case (.inputObject(var type), .inputObject(let other)):
            type.directives += other.directives
            type.fields += other.fields
            return .inputObject(type)
        default: return nil
        }
    }
}
