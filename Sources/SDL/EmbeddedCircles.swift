package import TidelogSchema

/// Finds the embedded types that contain values of themselves, at any depth, without a list between.
package struct EmbeddedCircles {
    private var reachable: [String: Set<String>] = [:]

    package init() {}

    package init(_ types: [EmbeddedSchema], only isIncluded: (FieldSchema) -> Bool = { _ in true }) {
        var direct: [String: Set<String>] = [:]
        for type in types {
            for field in type.fields where isIncluded(field) {
                if case .embedded(let target) = field.type { direct[type.name, default: []].insert(target) }
            }
        }
        for name in direct.keys {
            var seen: Set<String> = []
            var pending = [name]
            while let current = pending.popLast() {
                for target in direct[current] ?? [] where seen.insert(target).inserted { pending.append(target) }
            }
            reachable[name] = seen
        }
    }

    /// Whether a field of `owner` whose type is `target` is part of a circle.
    package func isCircular(_ owner: String, holding target: String) -> Bool {
        owner == target ? reachable[owner]?.contains(owner) ?? false : reachable[target]?.contains(owner) ?? false
    }
}
