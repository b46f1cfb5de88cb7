/// A field where it is selected, for comparing it with others that have its response name.
final class FieldOccurrence {
    let node: Field
    /// What it is selected of; nil where that is not known.
    let parent: DeclaredType?
    let declared: DeclaredField?
    /// Its arguments in an order and a spelling of their own; equal for arguments that mean the same.
    private(set) lazy var signature = node.arguments.isEmpty ? "" : Self.signature(of: node.arguments)

    init(node: Field, parent: DeclaredType?, declared: DeclaredField?) {
        self.node = node
        self.parent = parent
        self.declared = declared
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

    func add(_ occurrence: FieldOccurrence) {
        let name = occurrence.node.responseName
        if groups[name] == nil { names.append(name) }
        groups[name, default: []].append(occurrence)
    }

    func add(spread name: String) {
        if !spreads.contains(name) { spreads.append(name) }
    }
}
