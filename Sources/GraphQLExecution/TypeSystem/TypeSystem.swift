/// A type system (October 2021 §3), built from a document of definitions. It describes the operations of a service.
///
/// Types are referred to by numbers, so that comparing two types means comparing integers.
package final class TypeSystem: Sendable {
    /// All types, including the types of introspection.
    package let types: [DeclaredType]
    /// All directives, including the built-in ones.
    package let directives: [DeclaredDirective]
    /// The description of the schema.
    package let description: String?
    /// The directives on the schema, in order.
    package let schemaDirectives: [Directive]
    /// Whether `Int` has 32 bits, as in the specification, or 64.
    package let isIntStrict: Bool
    let metaFields: [DeclaredField]
    private let rootTypes: [OperationType: Int]
    private let typeNumbers: [String: Int]
    private let directiveNumbers: [String: Int]

    init(
        types: [DeclaredType], directives: [DeclaredDirective], schema: SchemaDefinition,
        rootTypes: [OperationType: Int], metaFields: [DeclaredField], isIntStrict: Bool
    ) {
        self.types = types
        self.directives = directives
        description = schema.description?.value
        schemaDirectives = schema.directives
        self.rootTypes = rootTypes
        self.metaFields = metaFields
        self.isIntStrict = isIntStrict
        typeNumbers = Dictionary(uniqueKeysWithValues: types.map { ($0.name, $0.number) })
        directiveNumbers = Dictionary(uniqueKeysWithValues: directives.enumerated().map { ($1.name, $0) })
    }

    /// The type with this name.
    package func type(_ name: String) -> DeclaredType? { typeNumbers[name].map { types[$0] } }

    /// The directive with this name.
    package func directive(_ name: String) -> DeclaredDirective? { directiveNumbers[name].map { directives[$0] } }

    /// The root type for operations of this kind.
    package func rootType(_ operation: OperationType) -> DeclaredType? { rootTypes[operation].map { types[$0] } }

    /// The named type inside all wrappers.
    package func innermost(_ type: ResolvedType) -> DeclaredType { types[type.innermost] }

    /// The text of a type, such as `[ID!]!`.
    package func text(_ type: ResolvedType) -> String {
        switch type {
        case .named(let number): types[number].name
        case .list(let element): "[\(text(element))]"
        case .nonNull(let nullable): "\(text(nullable))!"
        }
    }

    /// The type of a reference; `nil` if there is no type with its name.
    package func resolved(_ reference: TypeReference) -> ResolvedType? {
        switch reference {
        case .named(let name): typeNumbers[name.value].map { .named($0) }
        case .list(let element, _): resolved(element).map { .list($0) }
        case .nonNull(let nullable, _): resolved(nullable).map { .nonNull($0) }
        }
    }

    /// A field that can be selected from a type, including `__typename` and the two introspection fields.
    package func field(_ name: String, of type: DeclaredType) -> DeclaredField? {
        if name.utf8.first == UInt8(ascii: "_"), let field = metaField(name, of: type) { return field }
        return type.field(name)
    }

    private func metaField(_ name: String, of type: DeclaredType) -> DeclaredField? {
        guard name == "__typename" ? type.isComposite : type.number == rootTypes[.query] else { return nil }
        return metaFields.first { $0.name == name }
    }

    /// Whether an object can be a value of both types (§5.5.2.3).
    func overlap(_ first: DeclaredType, _ second: DeclaredType) -> Bool {
        if first.number == second.number { return true }
        return first.possibleTypes.contains { second.possibleTypes.contains($0) }
    }

    /// Whether each value of the first type is also a value of the second (§5.8.5, §3.6).
    func isSubtype(_ type: ResolvedType, of other: ResolvedType) -> Bool {
        switch (type, other) {
        case (.nonNull(let inner), .nonNull(let otherInner)): isSubtype(inner, of: otherInner)
        case (.nonNull(let inner), _): isSubtype(inner, of: other)
        case (_, .nonNull): false
        case (.list(let element), .list(let otherElement)): isSubtype(element, of: otherElement)
        case (.named(let number), .named(let otherNumber)):
            number == otherNumber || isImplementation(types[number], of: types[otherNumber])
        default: false
        }
    }

    private func isImplementation(_ type: DeclaredType, of other: DeclaredType) -> Bool {
        switch other.kind {
        case .interface: type.interfaces.contains(other.number)
        case .union: type.kind == .object && other.possibleTypes.contains(type.number)
        default: false
        }
    }
}
