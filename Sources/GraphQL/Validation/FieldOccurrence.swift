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
        case .list(let list): "[\(list.values.map(\.signature).joined(separator: ","))]"
        case .object(let object):
            "{\(object.fields.map { "\($0.name.value):\($0.value.signature)" }.sorted().joined(separator: ","))}"
        case .string(let node): (node.isBlock ? "b" : "") + printed()
        default: printed()
        }
    }
}

/// The fields of one selection set, including its inline fragments, and the fragments that it spreads.
final class FieldGroups {
    private(set) var names: [String] = []
    private(set) var groups: [String: [FieldOccurrence]] = [:]
    private(set) var spreads: [String] = []
    /// The fragments with which these fields were compared. The value says whether the fields were only compared as mutually
    /// exclusive.
    var comparedFragments: [String: Bool] = [:]

    /// The fields that were added to large groups. A field that repeats then needs no comparison.
    private var known: Set<Key> = []

    private struct Key: Hashable {
        let parent: Int?
        let responseName: String
        let text: ExactText
    }

    private static let largeCount = 16

    func add(_ occurrence: FieldOccurrence) {
        let name = occurrence.node.responseName
        let count = groups[name]?.count ?? 0
        if count == 0 { names.append(name) }
        if count >= Self.largeCount {
            let key = Key(parent: occurrence.parent?.number, responseName: name, text: occurrence.text)
            guard known.insert(key).inserted else { return }
        }
        groups[name, default: []].append(occurrence)
    }

    func add(spread name: String) {
        if !spreads.contains(name) { spreads.append(name) }
    }
}
