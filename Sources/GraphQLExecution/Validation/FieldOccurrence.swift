/// A selected field, for the comparison with other fields that have the same response name.
final class FieldOccurrence {
    let node: Field
    /// The type from which the field is selected; `nil` if the type is unknown.
    let parent: DeclaredType?
    let declared: DeclaredField?
    /// A canonical text of the arguments. Arguments with the same meaning have equal signatures.
    private(set) lazy var signature = ExactText(node.arguments.isEmpty ? "" : Self.signature(of: node.arguments))

    init(node: Field, parent: DeclaredType?, declared: DeclaredField?) {
        self.node = node
        self.parent = parent
        self.declared = declared
    }

    /// A text of the field's name, arguments and selection. Fields with equal texts can be merged with the same fields.
    var text: ExactText {
        ExactText("\(node.name.value)(\(signature.text))\(node.selectionSet?.printed() ?? "")")
    }

    private static func signature(of arguments: [Argument]) -> String {
        arguments.map { "\($0.name.value):\($0.value.signature)" }.sorted().joined(separator: ",")
    }
}

extension Value {
    /// The literal, with the fields of objects sorted by name.
    fileprivate var signature: String {
        switch self {
        case .list(let values, _): "[\(values.map(\.signature).joined(separator: ","))]"
        case .object(let fields, _):
            "{\(fields.map { "\($0.name.value):\($0.value.signature)" }.sorted().joined(separator: ","))}"
        case .string(let node): (node.isBlock ? "b" : "") + printed()
        default: printed()
        }
    }
}
