/// A field where it is selected, for comparing it with others that have its response name.
final class FieldOccurrence {
    let node: Field
    /// What it is selected of; nil where that is not known.
    let parent: DeclaredType?
    let declared: DeclaredField?
    /// Its arguments in an order and a spelling of their own; equal for arguments that mean the same.
    private(set) lazy var signature = ExactText(node.arguments.isEmpty ? "" : Self.signature(of: node.arguments))

    init(node: Field, parent: DeclaredType?, declared: DeclaredField?) {
        self.node = node
        self.parent = parent
        self.declared = declared
    }

    /// What it selects; equal for fields that can be merged with the same others.
    var text: ExactText {
        ExactText("\(node.name.value)(\(signature.text))\(node.selectionSet?.printed() ?? "")")
    }

    private static func signature(of arguments: [Argument]) -> String {
        arguments.map { "\($0.name.value):\($0.value.signature)" }.sorted().joined(separator: ",")
    }
}

extension Value {
    /// The literal with the fields of objects in the order of their names.
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

/// The fields of one selection set, its inline fragments included, and the fragments that it spreads.
final class FieldGroups {
    private(set) var names: [String] = []
    private(set) var groups: [String: [FieldOccurrence]] = [:]
    private(set) var spreads: [String] = []
    /// The fragments that these fields were compared with, and whether only as fields that exclude each other.
    var comparedFragments: [String: Bool] = [:]

    /// What was added of large groups, so that a field that repeats costs no comparisons.
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
