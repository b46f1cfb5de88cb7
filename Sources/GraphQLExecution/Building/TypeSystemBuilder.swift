/// Collects definitions, merges their extensions, and resolves the types that they name.
struct TypeSystemBuilder {
    private(set) var types: [DeclaredType] = []
    private(set) var directives: [DeclaredDirective] = []
    private(set) var schema = SchemaDefinition(operationTypes: [])
    private(set) var rootTypes: [OperationType: Int] = [:]
    private(set) var metaFields: [DeclaredField] = []
    private let scalars: [String: DeclaredType.Scalar]
    private var definitions: [TypeDefinition] = []
    private var numbers: [String: Int] = [:]
    private var directiveDefinitions: [DirectiveDefinition] = []
    private var problems: [TypeSystemError.Problem] = []

    init(scalars: [CustomScalar]) {
        let custom = scalars.map { ($0.name, DeclaredType.Scalar.custom($0)) }
        self.scalars = DeclaredType.Scalar.builtIn.merging(custom) { builtIn, _ in builtIn }
    }

    /// Throws all problems that were found so far. The next stage needs definitions without problems.
    func finishStage() throws(TypeSystemError) {
        guard problems.isEmpty else { throw TypeSystemError(problems: problems) }
    }

    private mutating func report(_ message: String, _ span: SourceSpan) {
        problems.append(TypeSystemError.Problem(message: message, span: span))
    }

    // MARK: Gathering

    /// Collects the definitions of a document and the built-in definitions.
    mutating func gather(_ document: Document) {
        var hasSchema = false
        for definition in document.definitions {
            switch definition {
            case .operation, .fragment: report("Only definitions of a type system are expected.", definition.span)
            case .schema(let definition):
                if hasSchema { report("Must provide only one schema definition.", definition.span) }
                hasSchema = true
                schema = definition
            case .type(let definition): add(definition)
            case .directive(let definition): add(definition)
            case .schemaExtension, .typeExtension: break
            }
        }
        for definition in document.typeExtensions { extend(definition) }
        for definition in document.schemaExtensions {
            schema.directives += definition.directives
            schema.operationTypes += definition.operationTypes
        }
        if !hasSchema, schema.operationTypes.isEmpty { takeRootTypesByName() }
        addBuiltIns()
    }

    private mutating func add(_ definition: TypeDefinition) {
        let name = definition.name
        if name.value.hasPrefix("__") {
            report("Name \"\(name.value)\" must not begin with \"__\", which is reserved by introspection.", name.span)
        }
        if numbers[name.value] != nil { report("There can be only one type named \"\(name.value)\".", name.span) }
        append(definition)
    }

    private mutating func append(_ definition: TypeDefinition) {
        if definition.name.value != BuiltIn.metaFieldsName { numbers[definition.name.value] = definitions.count }
        definitions.append(definition)
    }

    private mutating func add(_ definition: DirectiveDefinition) {
        let name = definition.name
        if directiveDefinitions.contains(where: { $0.name.value == name.value }) {
            report("There can be only one directive named \"@\(name.value)\".", name.span)
        }
        directiveDefinitions.append(definition)
    }

    private mutating func extend(_ addition: TypeDefinition) {
        let name = addition.name.value
        guard let number = numbers[name] else {
            return report("Cannot extend type \"\(name)\" because it is not defined.", addition.name.span)
        }
        guard let extended = definitions[number].extended(by: addition) else {
            return report("Cannot extend type \"\(name)\" as another kind of type.", addition.span)
        }
        definitions[number] = extended
    }

    private mutating func takeRootTypesByName() {
        for operation in OperationType.allCases where numbers[operation.standardTypeName] != nil {
            let type = Name(value: operation.standardTypeName)
            schema.operationTypes.append(SchemaDefinition.RootType(operation: operation, type: type))
        }
    }

    private mutating func addBuiltIns() {
        guard let builtIn = try? BuiltIn.document() else {
            return assertionFailure("the definitions of every type system do not parse")
        }
        var used: Set<String> = ["String", "Boolean"]
        for definition in definitions { used.formUnion(definition.namedTypes) }
        for definition in directiveDefinitions { used.formUnion(definition.arguments.map(\.type.innermost.value)) }
        for definition in builtIn.typeDefinitions {
            let name = definition.name.value
            if definition.kind == .scalar, !used.contains(name) || numbers[name] != nil { continue }
            append(definition)
        }
        let given = Set(directiveDefinitions.map(\.name.value))
        directiveDefinitions += builtIn.directiveDefinitions.filter { !given.contains($0.name.value) }
    }

    // MARK: Resolving

    /// Resolves all types that the definitions name.
    mutating func resolve() {
        var implementations: [Int: [Int]] = [:]
        for (number, definition) in definitions.enumerated() where definition.kind == .object {
            for interface in definition.interfaces {
                numbers[interface.value].map { implementations[$0, default: []].append(number) }
            }
        }
        for (number, definition) in definitions.enumerated() {
            let possibleTypes =
                switch definition.kind {
                case .object: [number]
                case .interface: implementations[number] ?? []
                default: definition.members.compactMap { lookUp($0) }
                }
            let type = DeclaredType(
                number: number, definition: definition, fields: fields(definition.fields),
                inputFields: inputs(definition.inputFields),
                interfaces: definition.interfaces.compactMap { lookUp($0) }, possibleTypes: possibleTypes,
                scalar: scalars[definition.name.value] ?? .custom(CustomScalar(name: definition.name.value)))
            if type.name == BuiltIn.metaFieldsName { metaFields = type.fields } else { types.append(type) }
        }
        directives = directiveDefinitions.map {
            DeclaredDirective(definition: $0, name: $0.name.value, arguments: inputs($0.arguments))
        }
        for root in schema.operationTypes {
            if rootTypes[root.operation] != nil {
                report("There can be only one \(root.operation.rawValue) type in schema.", root.span)
            }
            rootTypes[root.operation] = lookUp(root.type)
        }
    }

    private mutating func lookUp(_ type: Name) -> Int? {
        if let number = numbers[type.value] { return number }
        report("Unknown type \"\(type.value)\".", type.span)
        return nil
    }

    private mutating func resolve(_ reference: TypeReference) -> ResolvedType? {
        switch reference {
        case .named(let name): lookUp(name).map { .named($0) }
        case .list(let element, _): resolve(element).map { .list($0) }
        case .nonNull(let nullable, _): resolve(nullable).map { .nonNull($0) }
        }
    }

    private mutating func fields(_ definitions: [FieldDefinition]) -> [DeclaredField] {
        var fields: [DeclaredField] = []
        for definition in definitions {
            guard let type = resolve(definition.type) else { continue }
            fields.append(
                DeclaredField(
                    definition: definition, name: definition.name.value, number: fields.count, type: type,
                    arguments: inputs(definition.arguments)))
        }
        return fields
    }

    private mutating func inputs(_ definitions: [InputValueDefinition]) -> [DeclaredInput] {
        definitions.compactMap { definition in
            guard let type = resolve(definition.type) else { return nil }
            return DeclaredInput(definition: definition, name: definition.name.value, type: type)
        }
    }
}

extension TypeSystem {
    /// Builds a type system from the definitions in a document (§3.1).
    ///
    /// - Parameters:
    ///   - scalars: The custom scalars of the document. A scalar that is missing here keeps all values unchanged.
    ///   - isIntStrict: Whether `Int` has 32 bits, as in the specification, instead of 64.
    package convenience init(
        document: Document, scalars: [CustomScalar] = [], isIntStrict: Bool = false
    ) throws(TypeSystemError) {
        var builder = TypeSystemBuilder(scalars: scalars)
        builder.gather(document)
        try builder.finishStage()
        builder.resolve()
        try builder.finishStage()
        self.init(
            types: builder.types, directives: builder.directives, schema: builder.schema,
            rootTypes: builder.rootTypes, metaFields: builder.metaFields, isIntStrict: isIntStrict)
        var check = TypeSystemCheck(typeSystem: self)
        try check.run()
    }
}
