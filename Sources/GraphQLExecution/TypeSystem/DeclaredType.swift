/// A named type of a ``TypeSystem``. Extensions are merged, and the types of its parts are resolved (§3.4).
package final class DeclaredType: Sendable {
    /// The index of the type in ``TypeSystem/types``.
    package let number: Int
    /// The name.
    package let name: String
    /// The kind of the type.
    package let kind: TypeDefinition.Kind
    /// The definition of the type, with all extensions.
    package let definition: TypeDefinition
    /// The fields of an object or interface type, in order.
    package let fields: [DeclaredField]
    /// The fields of an input object type, in order.
    package let inputFields: [DeclaredInput]
    /// The values of an enum type, in order.
    package var enumValues: [EnumValueDefinition] { definition.enumValues }
    /// The numbers of the interfaces of an object or interface type, in order.
    package let interfaces: [Int]
    /// The numbers of the object types that a value may have. For an object type, this is the type itself.
    package let possibleTypes: [Int]
    let scalar: Scalar
    private let fieldNumbers: [String: Int]
    private let inputFieldNumbers: [String: Int]
    private let enumValueNumbers: [String: Int]

    init(
        number: Int, definition: TypeDefinition, fields: [DeclaredField], inputFields: [DeclaredInput],
        interfaces: [Int], possibleTypes: [Int], scalar: Scalar
    ) {
        self.number = number
        name = definition.name.value
        kind = definition.kind
        self.definition = definition
        self.fields = fields
        self.inputFields = inputFields
        self.interfaces = interfaces
        self.possibleTypes = possibleTypes
        self.scalar = scalar
        fieldNumbers = Self.numbers(fields.map(\.name))
        inputFieldNumbers = Self.numbers(inputFields.map(\.name))
        enumValueNumbers = Self.numbers(definition.enumValues.map(\.name.value))
    }

    private static func numbers(_ names: [String]) -> [String: Int] {
        Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    /// The description.
    package var description: String? { definition.description?.value }
    /// The directives, in order.
    package var directives: [Directive] { definition.directives }
    /// The URL of the specification of a scalar type.
    package var specifiedByURL: String? { directives.first(named: "specifiedBy")?.arguments["url"]?.string }
    /// Whether an input object must have exactly one field.
    package var isOneOf: Bool { kind == .inputObject && directives.first(named: "oneOf") != nil }
    /// Whether values of the type have no fields.
    package var isLeaf: Bool { kind == .scalar || kind == .enum }
    /// Whether values of the type have fields that can be selected.
    package var isComposite: Bool { kind == .object || isAbstract }
    /// Whether values of the type can have several object types.
    package var isAbstract: Bool { kind == .interface || kind == .union }
    /// Whether arguments can have this type.
    package var isInput: Bool { isLeaf || kind == .inputObject }
    /// Whether fields can have this type.
    package var isOutput: Bool { kind != .inputObject }

    /// The field with this name.
    package func field(_ name: String) -> DeclaredField? { fieldNumbers[name].map { fields[$0] } }
    /// The input field with this name. The name may come from a client.
    package func inputField(_ name: String) -> DeclaredInput? {
        inputFieldNumbers[name].map { inputFields[$0] }.flatMap { $0.name.isExactly(name) ? $0 : nil }
    }
    /// The enum value with this name. The name may come from a client.
    package func enumValue(_ name: String) -> EnumValueDefinition? {
        enumValueNumbers[name].map { enumValues[$0] }.flatMap { $0.name.value.isExactly(name) ? $0 : nil }
    }

    /// The coercion rules of a scalar type.
    enum Scalar: Sendable {
        case int
        case float
        case string
        case boolean
        case id
        case custom(CustomScalar)

        /// The scalars of every schema (§3.5.1 … §3.5.5).
        static let builtIn: [String: Scalar] = [
            "Int": .int, "Float": .float, "String": .string, "Boolean": .boolean, "ID": .id,
        ]
    }
}
