/// Rules for whole fragments: §5.5.1.4 and §5.5.2.2.
extension Validator {
    /// Checks that each fragment is used, and that no fragment spreads itself.
    mutating func checkFragments() {
        var used: Set<String> = []
        for contents in operationContents { reach(contents, &used) { _ in } }
        for fragment in document.document.fragments where !used.contains(fragment.name.value) {
            let name = fragment.name.value
            report(.unusedFragment, "Fragment \"\(name)\" is never used.", [fragment.span], names: [name], path: [name])
        }
        var circles = FragmentCircles(contents: fragmentContents)
        for fragment in document.document.fragments { circles.visit(fragment.name.value) }
        for circle in circles.found {
            let via = circle.dropLast().map { "\"\($0.name.value)\"" }.joined(separator: ", ")
            let name = circle.last?.name.value ?? ""
            let end = via.isEmpty ? "." : " via \(via)."
            report(.fragmentCycle, "Cannot spread fragment \"\(name)\" within itself\(end)", circle.map(\.span))
        }
    }

    /// Visits the contents of every fragment that these contents spread, directly or indirectly. Each fragment is visited once.
    func reach(_ contents: DefinitionContents, _ names: inout Set<String>, _ visit: (DefinitionContents) -> Void) {
        var pending = contents.spreads
        while let spread = pending.popLast() {
            guard names.insert(spread.name.value).inserted, let inner = fragmentContents[spread.name.value] else {
                continue
            }
            visit(inner)
            pending += inner.spreads
        }
    }
}

/// Finds circles of fragments. Each circle is found once.
private struct FragmentCircles {
    let contents: [String: DefinitionContents]
    /// The spreads that lead from a fragment back to itself.
    private(set) var found: [[FragmentSpread]] = []
    private var visited: Set<String> = []
    private var path: [FragmentSpread] = []
    private var places: [String: Int] = [:]

    init(contents: [String: DefinitionContents]) { self.contents = contents }

    mutating func visit(_ name: String) {
        guard visited.insert(name).inserted, let spreads = contents[name]?.spreads, !spreads.isEmpty else { return }
        places[name] = path.count
        for spread in spreads {
            path.append(spread)
            if let start = places[spread.name.value] {
                found.append(Array(path[start...]))
            } else {
                visit(spread.name.value)
            }
            path.removeLast()
        }
        places[name] = nil
    }
}
