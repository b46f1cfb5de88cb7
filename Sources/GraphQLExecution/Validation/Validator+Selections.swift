/// Rules for selected fields and fragments: §5.3, §5.5.
extension Validator {
    /// Checks a fragment with all of its contents.
    mutating func check(_ fragment: FragmentDefinition) {
        let type = knownType(fragment.typeCondition)
        if let type, !type.isComposite {
            report(
                .fragmentTypeConditionInvalid,
                "Fragment \"\(fragment.name.value)\" cannot condition on non composite type \"\(type.name)\".",
                [fragment.typeCondition.span])
        }
        checkDirectives(fragment.directives, at: .fragmentDefinition)
        check(fragment.selectionSet, of: type)
    }

    /// Checks a selection set. `type` is `nil` if the type from which it selects is itself wrong.
    mutating func check(_ set: SelectionSet, of type: DeclaredType?) {
        let parent = type.flatMap { $0.isComposite ? $0 : nil }
        for selection in set.selections {
            switch selection {
            case .field(let field): check(field, of: parent)
            case .inlineFragment(let fragment): check(fragment, in: parent)
            case .fragmentSpread(let spread): check(spread, in: parent)
            }
        }
    }

    private mutating func check(_ field: Field, of parent: DeclaredType?) {
        path.append(field.responseName)
        defer { path.removeLast() }
        let name = field.name.value
        let declared = parent.flatMap { typeSystem.field(name, of: $0) }
        checkDirectives(field.directives, at: .field)
        guard let parent else { return checkInside(field, type: nil) }
        guard let declared else {
            let guess = suggestion(for: name, among: parent.fields.map(\.name))
            report(
                .fieldUndefined, "Cannot query field \"\(name)\" on type \"\(parent.name)\".", [field.span],
                names: [name, parent.name], suggestion: guess)
            return checkInside(field, type: nil)
        }
        let type = typeSystem.innermost(declared.type)
        if !options.allowsIntrospection, type.name.hasPrefix("__") {
            report(
                .introspectionDisabled,
                "GraphQL introspection has been disabled, but the requested query contained the field \"\(name)\".",
                [field.span])
        }
        check(
            field.arguments, against: declared.arguments,
            unknown: { "Unknown argument \"\($0)\" on field \"\(parent.name).\(name)\"." },
            missing: { "Field \"\(name)\" argument \"\($0)\" of type \"\($1)\" is required, but it was not provided." },
            owner: field.span)
        checkLeaf(field, declared, type)
        if let set = field.selectionSet { check(set, of: type) }
    }

    /// Checks the contents of an unknown field, as far as this is possible without its declaration.
    private mutating func checkInside(_ field: Field, type: DeclaredType?) {
        check(field.arguments, against: nil, unknown: { $0 }, missing: { name, _ in name }, owner: field.span)
        if let set = field.selectionSet { check(set, of: type) }
    }

    /// Checks that leaves have no selections, and that all other fields have some (§5.3.3).
    private mutating func checkLeaf(_ field: Field, _ declared: DeclaredField, _ type: DeclaredType) {
        let name = field.name.value
        let text = typeSystem.text(declared.type)
        if type.isLeaf, let set = field.selectionSet {
            report(
                .subselectionNotAllowed,
                "Field \"\(name)\" must not have a selection since type \"\(text)\" has no subfields.", [set.span],
                names: [name, text])
        } else if !type.isLeaf, field.selectionSet == nil {
            report(
                .subselectionRequired,
                "Field \"\(name)\" of type \"\(text)\" must have a selection of subfields. "
                    + "Did you mean \"\(name) { ... }\"?", [field.span], names: [name, text])
        }
    }

    private mutating func check(_ fragment: SelectionSet.InlineFragment, in parent: DeclaredType?) {
        checkDirectives(fragment.directives, at: .inlineFragment)
        guard let condition = fragment.typeCondition else { return check(fragment.selectionSet, of: parent) }
        let type = knownType(condition)
        if let type {
            if !type.isComposite {
                report(
                    .inlineFragmentTypeConditionInvalid,
                    "Fragment cannot condition on non composite type \"\(type.name)\".", [condition.span])
            } else if let parent, !typeSystem.overlap(type, parent) {
                report(
                    .invalidFragmentType,
                    "Fragment cannot be spread here as objects of type \"\(parent.name)\" can never be of type "
                        + "\"\(type.name)\".", [fragment.span])
            }
        }
        check(fragment.selectionSet, of: type)
    }

    private mutating func check(_ spread: SelectionSet.FragmentSpread, in parent: DeclaredType?) {
        checkDirectives(spread.directives, at: .fragmentSpread)
        contents.spreads.append(spread)
        let name = spread.name.value
        guard let fragment = document.fragments[name] else {
            return report(.undefinedFragment, "Unknown fragment \"\(name)\".", [spread.name.span], names: [name])
        }
        guard let parent, let type = typeSystem.type(fragment.typeCondition.value), type.isComposite,
            !typeSystem.overlap(type, parent)
        else { return }
        report(
            .invalidFragmentType,
            "Fragment \"\(name)\" cannot be spread here as objects of type \"\(parent.name)\" can never be of type "
                + "\"\(type.name)\".", [spread.span])
    }

    /// The type with this name. Reports an error if there is none.
    mutating func knownType(_ name: Name) -> DeclaredType? {
        if let known = typeSystem.type(name.value) { return known }
        let types = typeSystem.types
        let guess = suggestion(for: name.value, among: types.map(\.name))
        report(.unknownType, "Unknown type \"\(name.value)\".", [name.span], names: [name.value], suggestion: guess)
        return nil
    }
}

// MARK: - Cycles and uses of fragments

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
    let contents: [String: Validator.DefinitionContents]
    /// The spreads that lead from a fragment back to itself.
    private(set) var found: [[SelectionSet.FragmentSpread]] = []
    private var visited: Set<String> = []
    private var path: [SelectionSet.FragmentSpread] = []
    private var places: [String: Int] = [:]

    init(contents: [String: Validator.DefinitionContents]) { self.contents = contents }

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
