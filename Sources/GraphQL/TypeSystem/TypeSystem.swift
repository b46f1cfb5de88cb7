/// A type system (October 2021 §3): what a service can be asked, built from a document of definitions.
///
/// Types are named by their numbers, so that comparing two is comparing integers.
package final class TypeSystem: Sendable {
    /// The types, those of introspection included.
    package let types: [DeclaredType]
    /// The directives, those of every schema included.
    package let directives: [DeclaredDirective]
    /// What the schema definition says of the whole.
    package let description: String?
    /// The directives on the schema, in order.
    package let schemaDirectives: [Directive]
    /// Whether `Int` takes 32 bits, as in the specification, or 64.
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

    /// The type of that name.
    package func type(_ name: String) -> DeclaredType? { typeNumbers[name].map { types[$0] } }

    /// The directive of that name.
    package func directive(_ name: String) -> DeclaredDirective? { directiveNumbers[name].map { directives[$0] } }

    /// The object type that operations of that kind start from.
    package func rootType(_ operation: OperationType) -> DeclaredType? { rootTypes[operation].map { types[$0] } }

    /// The named type inside every list and non-null.
    package func innermost(_ type: ResolvedType) -> DeclaredType { types[type.innermost] }

    /// The text of a type, such as `[ID!]!`.
    package func text(_ type: ResolvedType) -> String {
        switch type {
        case .named(let number): types[number].name
        case .list(let element): "[\(text(element))]"
        case .nonNull(let nullable): "\(text(nullable))!"
        }
    }

    /// The type that a reference means; nil if there is none of that name.
    package func resolved(_ reference: TypeReference) -> ResolvedType? {
        switch reference {
        case .named(let named): typeNumbers[named.name.value].map { .named($0) }
        case .list(let list): resolved(list.element).map { .list($0) }
        case .nonNull(let type): resolved(type.nullable).map { .nonNull($0) }
        }
    }

    /// A field that may be selected of a type, `__typename` and the two of introspection included.
    package func field(_ name: String, of type: DeclaredType) -> DeclaredField? {
        if name.utf8.first == Byte.underscore, let field = metaField(name, of: type) { return field }
        return type.field(name)
    }

    private func metaField(_ name: String, of type: DeclaredType) -> DeclaredField? {
        guard name == "__typename" ? type.isComposite : type.number == rootTypes[.query] else { return nil }
        return metaFields.first { $0.name == name }
    }

    /// Whether an object may be a value of both types (§5.5.2.3).
    func overlap(_ first: DeclaredType, _ second: DeclaredType) -> Bool {
        if first.number == second.number { return true }
        return first.possibleTypes.contains { second.possibleTypes.contains($0) }
    }

    /// Whether each value of the first type is one of the second (§5.8.5, §3.6).
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
