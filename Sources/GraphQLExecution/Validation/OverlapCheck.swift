/// Compares the fields of each selection set in pairs. Fields from fragments are compared once for each pair of fragments.
///
/// The recursion is as deep as the nesting of the document, which is limited. The number of comparisons is limited too.
struct OverlapCheck {
    /// Two fields that cannot be merged. The nested fields that cause the conflict follow the two fields.
    struct Conflict {
        let name: String
        let reason: String
        var first: [Field]
        var second: [Field]
    }

    private struct SetKey: Hashable {
        let start: Int
        let parent: Int?
    }

    private struct FragmentPair: Hashable {
        let first: String
        let second: String
    }

    private(set) var conflicts: [Conflict] = []
    private var foundCount = 0
    private static let conflictLimit = 1000
    /// The number of comparisons that are still allowed; negative if there were too many.
    private(set) var remaining = ValidationOptions.comparisonLimit
    private let typeSystem: TypeSystem
    private let fragments: [String: FragmentDefinition]
    private var collected: [SetKey: FieldGroups] = [:]
    private var comparedPairs: [FragmentPair: Bool] = [:]

    init(typeSystem: TypeSystem, fragments: [String: FragmentDefinition]) {
        self.typeSystem = typeSystem
        self.fragments = fragments
    }

    // MARK: Walking

    /// Checks a selection set and all selection sets inside it.
    mutating func visit(_ set: SelectionSet, of type: DeclaredType?) {
        let parent = type.flatMap { $0.isComposite ? $0 : nil }
        var found: [Conflict] = []
        compareWithin(fields(of: set, parent), &found)
        conflicts += found
        visitInside(set, parent)
    }

    private mutating func visitInside(_ set: SelectionSet, _ parent: DeclaredType?) {
        for selection in set.selections where remaining >= 0 {
            switch selection {
            case .field(let field):
                guard let inner = field.selectionSet else { continue }
                let declared = parent.flatMap { typeSystem.field(field.name.value, of: $0) }
                visit(inner, of: declared.map { typeSystem.innermost($0.type) })
            case .inlineFragment(let fragment):
                let type = fragment.typeCondition.map { typeSystem.type($0.value) } ?? parent
                visitInside(fragment.selectionSet, type)
            case .fragmentSpread: break
            }
        }
    }

    private mutating func fields(of set: SelectionSet, _ parent: DeclaredType?) -> FieldGroups {
        let key = SetKey(start: set.span.start, parent: parent?.number)
        if let known = collected[key] { return known }
        let fields = FieldGroups()
        collect(set, parent, into: fields)
        collected[key] = fields
        return fields
    }

    private func collect(_ set: SelectionSet, _ parent: DeclaredType?, into fields: FieldGroups) {
        for selection in set.selections {
            switch selection {
            case .field(let field):
                let declared = parent.flatMap { $0.field(field.name.value) }
                fields.add(FieldOccurrence(node: field, parent: parent, declared: declared))
            case .fragmentSpread(let spread): fields.add(spread: spread.name.value)
            case .inlineFragment(let fragment):
                let type = fragment.typeCondition.map { typeSystem.type($0.value) } ?? parent
                collect(fragment.selectionSet, type, into: fields)
            }
        }
    }

    private mutating func fields(ofFragment name: String) -> FieldGroups? {
        guard let fragment = fragments[name] else { return nil }
        return fields(of: fragment.selectionSet, typeSystem.type(fragment.typeCondition.value))
    }

    /// Counts a comparison. Returns whether it is still allowed.
    private mutating func spend() -> Bool {
        guard foundCount < Self.conflictLimit else { return false }
        remaining -= 1
        return remaining >= 0
    }

    // MARK: Comparing sets

    private mutating func compareWithin(_ fields: FieldGroups, _ found: inout [Conflict]) {
        for name in fields.names {
            guard let group = fields.groups[name], group.count > 1 else { continue }
            for (index, first) in group.enumerated() {
                for second in group[(index + 1)...] {
                    guard spend() else { return }
                    if let conflict = compare(name, first, second, areExclusive: false) { found.append(conflict) }
                }
            }
        }
        for (index, spread) in fields.spreads.enumerated() {
            compare(fields, fragment: spread, areExclusive: false, &found)
            for other in fields.spreads[(index + 1)...] {
                compare(fragment: spread, fragment: other, areExclusive: false, &found)
            }
        }
    }

    private mutating func compare(
        _ fields: FieldGroups, _ others: FieldGroups, areExclusive: Bool, _ found: inout [Conflict]
    ) {
        for name in fields.names {
            guard spend() else { return }
            guard let group = fields.groups[name], let otherGroup = others.groups[name] else { continue }
            for first in group {
                for second in otherGroup {
                    guard spend() else { return }
                    if let conflict = compare(name, first, second, areExclusive: areExclusive) {
                        found.append(conflict)
                    }
                }
            }
        }
    }

    private mutating func compare(
        _ fields: FieldGroups, fragment name: String, areExclusive: Bool, _ found: inout [Conflict]
    ) {
        guard spend(), !fields.names.isEmpty else { return }
        if let compared = fields.comparedFragments[name], areExclusive || !compared { return }
        fields.comparedFragments[name] = areExclusive
        guard let others = self.fields(ofFragment: name), others !== fields else { return }
        compare(fields, others, areExclusive: areExclusive, &found)
        for spread in others.spreads { compare(fields, fragment: spread, areExclusive: areExclusive, &found) }
    }

    private mutating func compare(
        fragment first: String, fragment second: String, areExclusive: Bool, _ found: inout [Conflict]
    ) {
        guard spend(), first != second else { return }
        let pair = first < second ? FragmentPair(first: first, second: second) : .init(first: second, second: first)
        if let compared = comparedPairs[pair], areExclusive || !compared { return }
        comparedPairs[pair] = areExclusive
        guard let fields = fields(ofFragment: first), let others = self.fields(ofFragment: second) else { return }
        compare(fields, others, areExclusive: areExclusive, &found)
        for spread in others.spreads { compare(fragment: first, fragment: spread, areExclusive: areExclusive, &found) }
        for spread in fields.spreads { compare(fragment: spread, fragment: second, areExclusive: areExclusive, &found) }
    }

    // MARK: Comparing fields

    private mutating func compare(
        _ name: String, _ first: FieldOccurrence, _ second: FieldOccurrence, areExclusive: Bool
    ) -> Conflict? {
        let areOfDifferentObjects =
            first.parent?.number != second.parent?.number && first.parent?.kind == .object
            && second.parent?.kind == .object
        let areExclusive = areExclusive || areOfDifferentObjects
        if let reason = difference(first, second, areExclusive: areExclusive) {
            foundCount += 1
            return Conflict(name: name, reason: reason, first: [first.node], second: [second.node])
        }
        guard let set = first.node.selectionSet, let otherSet = second.node.selectionSet else { return nil }
        let inner = fields(of: set, first.declared.map { typeSystem.innermost($0.type) })
        let otherInner = fields(of: otherSet, second.declared.map { typeSystem.innermost($0.type) })
        var found: [Conflict] = []
        compare(inner, otherInner, areExclusive: areExclusive, &found)
        for spread in otherInner.spreads { compare(inner, fragment: spread, areExclusive: areExclusive, &found) }
        for spread in inner.spreads { compare(otherInner, fragment: spread, areExclusive: areExclusive, &found) }
        for spread in inner.spreads {
            for other in otherInner.spreads {
                compare(fragment: spread, fragment: other, areExclusive: areExclusive, &found)
            }
        }
        return Self.merged(found, name: name, first: first.node, second: second.node)
    }

    private static func merged(_ found: [Conflict], name: String, first: Field, second: Field) -> Conflict? {
        guard !found.isEmpty else { return nil }
        var reason = ""
        for conflict in found where reason.utf8.count < 1000 {
            reason += "\(reason.isEmpty ? "" : " and ")subfields \"\(conflict.name)\" conflict because "
            reason += conflict.reason
        }
        return Conflict(
            name: name, reason: String(reason.prefix(1000)), first: [first] + found.flatMap(\.first).prefix(20),
            second: [second] + found.flatMap(\.second).prefix(20))
    }

    /// The difference between two fields themselves, without their selections.
    private func difference(_ first: FieldOccurrence, _ second: FieldOccurrence, areExclusive: Bool) -> String? {
        if !areExclusive {
            let names = (first.node.name.value, second.node.name.value)
            if names.0 != names.1 { return "\"\(names.0)\" and \"\(names.1)\" are different fields" }
            if first.signature != second.signature { return "they have differing arguments" }
        }
        guard let type = first.declared?.type, let other = second.declared?.type, conflict(type, other) else {
            return nil
        }
        return "they return conflicting types \"\(typeSystem.text(type))\" and \"\(typeSystem.text(other))\""
    }

    private func conflict(_ type: ResolvedType, _ other: ResolvedType) -> Bool {
        switch (type, other) {
        case (.list(let element), .list(let otherElement)): conflict(element, otherElement)
        case (.nonNull(let inner), .nonNull(let otherInner)): conflict(inner, otherInner)
        case (.named(let number), .named(let otherNumber)):
            number != otherNumber && (typeSystem.types[number].isLeaf || typeSystem.types[otherNumber].isLeaf)
        default: true
        }
    }

    /// The fields of one selection set, including its inline fragments, and the fragments that it spreads.
    final class FieldGroups {
        private(set) var names: [String] = []
        private(set) var groups: [String: [FieldOccurrence]] = [:]
        private(set) var spreads: [String] = []
        /// The fragments with which these fields were compared. The value says whether the fields were only compared as
        /// mutually exclusive.
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
}

/// The rule for merging fields: §5.3.2.
extension Validator {
    /// Checks in every selection set that fields with the same response name can be merged.
    mutating func checkOverlaps() {
        var check = OverlapCheck(typeSystem: typeSystem, fragments: document.fragments)
        for definition in document.document.definitions {
            switch definition {
            case .operation(let operation):
                check.visit(operation.selectionSet, of: typeSystem.rootType(operation.operation))
            case .fragment(let fragment):
                check.visit(fragment.selectionSet, of: typeSystem.type(fragment.typeCondition.value))
            default: break
            }
        }
        for conflict in check.conflicts {
            report(
                .fieldsConflict,
                "Fields \"\(conflict.name)\" conflict because \(conflict.reason). Use different aliases on the fields "
                    + "to fetch both if this was intentional.", (conflict.first + conflict.second).map(\.span))
        }
        if check.remaining < 0 { report(.fieldsConflict, "Too many fields have the same response name.", []) }
    }
}
