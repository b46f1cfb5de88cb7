/// The objects of introspection (§4.2). They describe the schema.
enum IntrospectionObject<Context: AnyObject & Sendable>: ResolvableObject {
    case schema(TypeSystem)
    case type(ResolvedType, TypeSystem)
    case field(DeclaredField, TypeSystem)
    case input(DeclaredInput, TypeSystem)
    case enumValue(EnumValueDefinition)
    case directive(DeclaredDirective, TypeSystem)

    typealias Resolved = ResolvedValue<Context>

    /// The value of `__schema` or `__type`.
    static func root(_ field: SelectedField, _ typeSystem: TypeSystem) -> Resolved {
        if field.name == "__schema" { return .object(IntrospectionObject.schema(typeSystem)) }
        guard case .string(let name)? = field[argument: "name"], let type = typeSystem.type(name) else { return .null }
        return .object(IntrospectionObject.type(.named(type.number), typeSystem))
    }

    var typeName: String {
        switch self {
        case .schema: "__Schema"
        case .type: "__Type"
        case .field: "__Field"
        case .input: "__InputValue"
        case .enumValue: "__EnumValue"
        case .directive: "__Directive"
        }
    }

    func resolve(_ field: SelectedField, in context: Context) throws(ResolverError) -> Resolved {
        switch self {
        case .schema(let typeSystem): Self.schemaField(field, typeSystem)
        case .type(.named(let number), let typeSystem):
            Self.typeField(field, typeSystem.types[number], typeSystem)
        case .type(let type, let typeSystem): Self.wrapperField(field, type, typeSystem)
        case .field(let declared, let typeSystem): Self.fieldField(field, declared, typeSystem)
        case .input(let input, let typeSystem): Self.inputField(field, input, typeSystem)
        case .enumValue(let value):
            Self.commonField(
                field, name: value.name.value, description: value.description?.value, directives: value.directives)
        case .directive(let directive, let typeSystem): Self.directiveField(field, directive, typeSystem)
        }
    }

    private static func schemaField(_ field: SelectedField, _ typeSystem: TypeSystem) -> Resolved {
        switch field.name {
        case "description": text(typeSystem.description)
        case "types": .list(typeSystem.types.map { type(.named($0.number), typeSystem) })
        case "queryType": root(.query, typeSystem)
        case "mutationType": root(.mutation, typeSystem)
        case "subscriptionType": root(.subscription, typeSystem)
        case "directives": .list(typeSystem.directives.map { .object(IntrospectionObject.directive($0, typeSystem)) })
        default: .null
        }
    }

    private static func typeField(
        _ field: SelectedField, _ declared: DeclaredType, _ typeSystem: TypeSystem
    ) -> Resolved {
        let withDeprecated = field[argument: "includeDeprecated"] == .bool(true)
        switch field.name {
        case "kind": return text(declared.kind.introspectionName)
        case "name": return text(declared.name)
        case "description": return text(declared.description)
        case "specifiedByURL": return text(declared.specifiedByURL)
        case "fields" where declared.kind == .object || declared.kind == .interface:
            let fields = declared.fields.filter { withDeprecated || $0.directives.first(named: "deprecated") == nil }
            return .list(fields.map { .object(IntrospectionObject.field($0, typeSystem)) })
        case "interfaces" where declared.kind == .object || declared.kind == .interface:
            return .list(declared.interfaces.map { type(.named($0), typeSystem) })
        case "possibleTypes" where declared.isAbstract:
            return .list(declared.possibleTypes.map { type(.named($0), typeSystem) })
        case "enumValues" where declared.kind == .enum:
            let values = declared.enumValues.filter {
                withDeprecated || $0.directives.first(named: "deprecated") == nil
            }
            return .list(values.map { .object(IntrospectionObject.enumValue($0)) })
        case "inputFields" where declared.kind == .inputObject:
            return inputs(declared.inputFields, field, typeSystem)
        case "isOneOf" where declared.kind == .inputObject: return .leaf(.bool(declared.isOneOf))
        default: return .null
        }
    }

    private static func wrapperField(
        _ field: SelectedField, _ wrapper: ResolvedType, _ typeSystem: TypeSystem
    ) -> Resolved {
        switch (field.name, wrapper) {
        case ("kind", .list): text("LIST")
        case ("kind", _): text("NON_NULL")
        case ("ofType", .list(let inner)), ("ofType", .nonNull(let inner)): type(inner, typeSystem)
        default: .null
        }
    }

    private static func fieldField(
        _ field: SelectedField, _ declared: DeclaredField, _ typeSystem: TypeSystem
    ) -> Resolved {
        switch field.name {
        case "args": inputs(declared.arguments, field, typeSystem)
        case "type": type(declared.type, typeSystem)
        default:
            commonField(
                field, name: declared.name, description: declared.description, directives: declared.directives)
        }
    }

    private static func inputField(
        _ field: SelectedField, _ input: DeclaredInput, _ typeSystem: TypeSystem
    ) -> Resolved {
        switch field.name {
        case "type": type(input.type, typeSystem)
        case "defaultValue": text(input.defaultValue?.printed())
        default: commonField(field, name: input.name, description: input.description, directives: input.directives)
        }
    }

    private static func directiveField(
        _ field: SelectedField, _ directive: DeclaredDirective, _ typeSystem: TypeSystem
    ) -> Resolved {
        switch field.name {
        case "name": text(directive.name)
        case "description": text(directive.description)
        case "isRepeatable": .leaf(.bool(directive.isRepeatable))
        case "locations": .leaf(.list(directive.locations.map { .string($0.rawValue) }))
        case "args": inputs(directive.arguments, field, typeSystem)
        default: .null
        }
    }

    private static func commonField(
        _ field: SelectedField, name: String, description: String?, directives: [Directive]
    ) -> Resolved {
        switch field.name {
        case "name": text(name)
        case "description": text(description)
        case "isDeprecated": .leaf(.bool(directives.first(named: "deprecated") != nil))
        case "deprecationReason": text(directives.deprecationReason)
        default: .null
        }
    }

    // MARK: Values

    private static func text(_ text: String?) -> Resolved { text.map { .leaf(.string($0)) } ?? .null }

    private static func type(_ type: ResolvedType, _ typeSystem: TypeSystem) -> Resolved {
        .object(IntrospectionObject.type(type, typeSystem))
    }

    private static func root(_ operation: OperationType, _ typeSystem: TypeSystem) -> Resolved {
        typeSystem.rootType(operation).map { type(.named($0.number), typeSystem) } ?? .null
    }

    private static func inputs(
        _ inputs: [DeclaredInput], _ field: SelectedField, _ typeSystem: TypeSystem
    ) -> Resolved {
        let withDeprecated = field[argument: "includeDeprecated"] == .bool(true)
        let listed = inputs.filter { withDeprecated || $0.directives.first(named: "deprecated") == nil }
        return .list(listed.map { .object(IntrospectionObject.input($0, typeSystem)) })
    }
}

extension TypeDefinition.Kind {
    /// The kind's value of `__TypeKind`.
    fileprivate var introspectionName: String {
        switch self {
        case .scalar: "SCALAR"
        case .object: "OBJECT"
        case .interface: "INTERFACE"
        case .union: "UNION"
        case .enum: "ENUM"
        case .inputObject: "INPUT_OBJECT"
        }
    }
}
