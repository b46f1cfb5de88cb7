/// A named type of a ``TypeSystem``, its extensions included and the types of its parts looked up (§3.4).
package final class DeclaredType: Sendable {
    /// What kind of type it is.
    package enum Kind: Sendable, Hashable {
        /// A leaf with values of its own.
        case scalar
        /// Fields with values.
        case object
        /// Fields that several objects have.
        case interface
        /// One of several objects.
        case union
        /// A leaf with a few named values.
        case `enum`
        /// Fields of an argument.
        case inputObject
    }

    /// Its place in ``TypeSystem/types``.
    package let number: Int
    /// Its name.
    package let name: String
    /// What kind of type it is.
    package let kind: Kind
    /// What it was built from, with the additions of extensions.
    package let definition: TypeDefinition
    /// The fields of an object or interface type, in order.
    package let fields: [DeclaredField]
    /// The fields of an input object type, in order.
    package let inputFields: [DeclaredInput]
    /// The values of an enum type, in order.
    package let enumValues: [DeclaredEnumValue]
    /// The numbers of the interfaces of an object or interface type, in order.
    package let interfaces: [Int]
    /// The numbers of the objects that a value of this type may be: of an object type itself.
    package let possibleTypes: [Int]
    let scalar: Scalar
    private let fieldNumbers: [String: Int]
    private let inputFieldNumbers: [String: Int]
    private let enumValueNumbers: [String: Int]

    init(
        number: Int, definition: TypeDefinition, fields: [DeclaredField], inputFields: [DeclaredInput],
        enumValues: [DeclaredEnumValue], interfaces: [Int], possibleTypes: [Int], scalar: Scalar
    ) {
        self.number = number
        name = definition.name.value
        kind = definition.kind
        self.definition = definition
        self.fields = fields
        self.inputFields = inputFields
        self.enumValues = enumValues
        self.interfaces = interfaces
        self.possibleTypes = possibleTypes
        self.scalar = scalar
        fieldNumbers = Self.numbers(fields.map(\.name))
        inputFieldNumbers = Self.numbers(inputFields.map(\.name))
        enumValueNumbers = Self.numbers(enumValues.map(\.name))
    }

    private static func numbers(_ names: [String]) -> [String: Int] {
        Dictionary(names.enumerated().map { ($1, $0) }) { first, _ in first }
    }

    /// Its description.
    package var description: String? { definition.description?.value }
    /// The directives on it, in order.
    package var directives: [Directive] { definition.directives }
    /// Where the behaviour of a scalar type is described.
    package var specifiedByURL: String? { directives.first(named: "specifiedBy")?.arguments["url"]?.string }
    /// Whether exactly one field of this input object type is given.
    package var isOneOf: Bool { kind == .inputObject && directives.first(named: "oneOf") != nil }
    /// Whether its values have no fields.
    package var isLeaf: Bool { kind == .scalar || kind == .enum }
    /// Whether its values have fields that are selected.
    package var isComposite: Bool { kind == .object || isAbstract }
    /// Whether it stands for several objects.
    package var isAbstract: Bool { kind == .interface || kind == .union }
    /// Whether arguments may have it.
    package var isInput: Bool { isLeaf || kind == .inputObject }
    /// Whether fields may have it.
    package var isOutput: Bool { kind != .inputObject }

    /// The field of that name.
    package func field(_ name: String) -> DeclaredField? { fieldNumbers[name].map { fields[$0] } }
    /// The input field of that name, which may be a client's text.
    package func inputField(_ name: String) -> DeclaredInput? {
        inputFieldNumbers[name].map { inputFields[$0] }.flatMap { $0.name.isExactly(name) ? $0 : nil }
    }
    /// The enum value of that name, which may be a client's text.
    package func enumValue(_ name: String) -> DeclaredEnumValue? {
        enumValueNumbers[name].map { enumValues[$0] }.flatMap { $0.name.isExactly(name) ? $0 : nil }
    }
}

extension TypeDefinition {
    /// What kind of type it defines.
    package var kind: DeclaredType.Kind {
        switch self {
        case .scalar: .scalar
        case .object: .object
        case .interface: .interface
        case .union: .union
        case .enum: .enum
        case .inputObject: .inputObject
        }
    }
}
