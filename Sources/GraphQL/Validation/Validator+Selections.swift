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

    private mutating func check(_ fragment: InlineFragment, in parent: DeclaredType?) {
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

    private mutating func check(_ spread: FragmentSpread, in parent: DeclaredType?) {
        checkDirectives(spread.directives, at: .fragmentSpread)
        contents.spreads.append(spread)
        let name = spread.name.value
        guard let fragment = document.fragments[name] else {
            return report(.undefinedFragment, "Unknown fragment \"\(name)\".", [spread.name.span], names: [name])
        }
        guard let parent, let type = typeSystem.type(fragment.typeCondition.name.value), type.isComposite,
            !typeSystem.overlap(type, parent)
        else { return }
        report(
            .invalidFragmentType,
            "Fragment \"\(name)\" cannot be spread here as objects of type \"\(parent.name)\" can never be of type "
                + "\"\(type.name)\".", [spread.span])
    }

    /// The type with this name. Reports an error if there is none.
    mutating func knownType(_ type: NamedType) -> DeclaredType? {
        if let known = typeSystem.type(type.name.value) { return known }
        let types = typeSystem.types
        let guess = suggestion(for: type.name.value, among: types.map(\.name))
        report(
            .unknownType, "Unknown type \"\(type.name.value)\".", [type.span], names: [type.name.value],
            suggestion: guess)
        return nil
    }
}
