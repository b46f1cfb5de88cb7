internal import TidelogCore
internal import TidelogGraphQLExecution

// Short initializers for syntax nodes that code makes.

extension TypeReference {
    static func named(_ name: String) -> TypeReference { .named(Name(value: name)) }

    /// The non-null variant of the type.
    var required: TypeReference { isNonNull ? self : .nonNull(self) }
}

extension InputValueDefinition {
    init(_ name: String, _ type: TypeReference) { self.init(name: Name(value: name), type: type) }

    init(_ name: String, _ type: String) { self.init(name, TypeReference.named(type)) }
}

extension FieldDefinition {
    init(
        _ name: String, _ arguments: [InputValueDefinition] = [], _ type: TypeReference, directives: [Directive] = [],
        documentation: String? = nil
    ) {
        self.init(
            description: documentation.map { StringValue(value: $0, isBlock: true) }, name: Name(value: name),
            arguments: arguments, type: type, directives: directives)
    }
}

extension TypeDefinition {
    static func input(_ name: String, _ fields: [InputValueDefinition]) -> TypeDefinition {
        TypeDefinition(.inputObject, name: Name(value: name), inputFields: fields)
    }

    static func type(_ name: String, _ fields: [FieldDefinition], documentation: String? = nil) -> TypeDefinition {
        TypeDefinition(
            .object, description: documentation.map { StringValue(value: $0, isBlock: true) },
            name: Name(value: name), fields: fields)
    }

    static func enumType(_ name: String, _ values: [String], documentation: String? = nil) -> TypeDefinition {
        TypeDefinition(
            .enum, description: documentation.map { StringValue(value: $0, isBlock: true) }, name: Name(value: name),
            enumValues: values.map { EnumValueDefinition(name: Name(value: $0)) })
    }

    static func scalar(named name: String) -> TypeDefinition { TypeDefinition(.scalar, name: Name(value: name)) }
}

// MARK: - Fields of a schema

extension FieldType {
    /// The type inside all lists.
    var innermost: FieldType {
        if case .list(let element, _) = self { element.innermost } else { self }
    }

    var isList: Bool {
        if case .list = self { true } else { false }
    }
}

extension FieldSchema {
    /// The name of the type inside all lists, in the schema language.
    var baseName: String { scalar ?? type.innermost.sdl }

    /// The type in the schema language. If `name` is given, it replaces the name of the innermost type.
    func reference(_ name: String? = nil) -> TypeReference {
        Self.reference(type, name ?? baseName, isRequired: isRequired)
    }

    private static func reference(_ type: FieldType, _ name: String, isRequired: Bool) -> TypeReference {
        var reference = TypeReference.named(name)
        if case .list(let element, let elementIsRequired) = type {
            reference = .list(Self.reference(element, name, isRequired: elementIsRequired))
        }
        return isRequired ? reference.required : reference
    }
}
