@testable import TidelogGraphQL
@testable import TidelogGraphQLExecution

/// The context of the resolvers of generated objects.
final class GeneratedContext: Sendable {
    let typeSystem: TypeSystem
    /// Whether lists and some of the objects are pending.
    let isPending: Bool

    init(typeSystem: TypeSystem, isPending: Bool = false) {
        self.typeSystem = typeSystem
        self.isPending = isPending
    }
}

/// An object whose fields are computed from its number. The second opinion computes the same values.
struct GeneratedObject: ResolvableObject {
    let number: UInt64
    let typeName: String

    typealias Resolved = ResolvedValue<GeneratedContext>

    func resolve(_ field: SelectedField, in context: GeneratedContext) throws(ResolverError) -> Resolved {
        let arguments = JSONText.of(field.arguments)
        let number = Self.hash("\(number)|\(field.parent.name).\(field.name)|\(arguments)")
        let value = Self.value(field.declared.type, number, context)
        if case .failure(let error) = value { throw error }
        return value
    }

    private static func value(_ type: ResolvedType, _ number: UInt64, _ context: GeneratedContext) -> Resolved {
        if number % 19 == 0 { return .null }
        if number % 19 == 1 { return .failure(ResolverError("failure \(number % 1000)")) }
        if let element = type.listElement {
            let values = (0..<(number >> 8) % 4).map { value(element, hash("\(number)#\($0)"), context) }
            return context.isPending ? .pending { () throws(ResolverError) in .list(values) } : .list(values)
        }
        let named = context.typeSystem.innermost(type)
        if named.isLeaf { return .leaf(leaf(named, number)) }
        let names = named.possibleTypes.map { context.typeSystem.types[$0].name }.sorted()
        if names.isEmpty { return .null }
        let name = names[Int((number >> 16) % UInt64(names.count))]
        let object = Resolved.object(GeneratedObject(number: number, typeName: name))
        return context.isPending && number % 3 == 0 ? .pending { () throws(ResolverError) in object } : object
    }

    private static func leaf(_ type: DeclaredType, _ number: UInt64) -> ResponseValue {
        let small = Int64((number >> 16) % 2000) - 1000
        if type.kind == .enum {
            let names = type.enumValues.map(\.name.value)
            return .string(number % 23 == 0 ? "NOWHERE" : names[Int((number >> 16) % UInt64(names.count))])
        }
        switch type.name {
        case "Int": return number % 23 == 0 ? .int(1 << 40) : number % 23 == 1 ? .string("none") : .int(small)
        case "Float": return .double(Double(small) / 8)
        case "Boolean": return .bool(number >> 16 & 1 == 1)
        case "ID": return number % 2 == 1 ? .int(small) : .string("id\(small)")
        case "String": return .string("é\"\(small)\n")
        default:
            return number % 2 == 1
                ? .list([.int(small), .object(["b": .null, "a": .string("\(small)")])]) : .int(small)
        }
    }

    /// The FNV-1a hash of `text`, with its bits mixed.
    static func hash(_ text: String) -> UInt64 {
        var value: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in text.utf8 { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }
        value ^= value >> 29
        value = value &* 0xBF58_476D_1CE4_E5B9
        return value ^ (value >> 32)
    }
}
