/// Compiles an `or` with many members of which most compare one field with a value.
///
/// The row's own value of that field shows which members may hold. Therefore the number of members hardly changes the cost for
/// a row.
extension PredicateCompiler {
    /// The number of members below which they are evaluated one after the other.
    static let fewAlternatives = 8

    /// A member of an `or` that compares the shared field with one value, and its remaining conditions.
    private struct Alternative {
        let key: Key
        let rest: [QueryPredicate]
    }

    private enum Key {
        case words(Int64, Int64)
        case text(Range<Int>)
    }

    /// Compiles the members of an `or`.
    mutating func alternatives(_ members: [QueryPredicate], _ depth: Int) throws {
        guard members.count >= Self.fewAlternatives, let field = sharedField(of: members) else {
            return try group(.or, members, depth)
        }
        var found: [Alternative] = []
        var others: [QueryPredicate] = []
        for member in members {
            guard let (value, rest) = member.equality(of: field.name) else {
                others.append(member)
                continue
            }
            // A value that does not equal any value of the field's type matches no row. It is compiled as usual to report
            // errors.
            if let key = try key(of: value, field) {
                found.append(Alternative(key: key, rest: rest))
            } else {
                others.append(member)
            }
        }
        let index = nodes.count
        if !others.isEmpty { nodes.append(.init(operation: .or)) }
        try dispatch(found, field, depth)
        for member in others { try compile(member, depth: depth + 1) }
        if !others.isEmpty { nodes[index].extent = nodes.count - index - 1 }
    }

    /// The field that the members compare with the largest number of different values, or `nil` if these are few.
    ///
    /// Such a field leaves the fewest members for a row's own value.
    private func sharedField(of members: [QueryPredicate]) -> FieldLayout? {
        var values: [String: Set<FieldValue>] = [:]
        for member in members {
            for (name, value) in member.equalities { values[name, default: []].insert(value) }
        }
        let counts = values.mapValues(\.count).filter { $0.value >= Self.fewAlternatives }
        let best = counts.max { ($0.value, $1.key) < ($1.value, $0.key) }
        guard let best, let field = row.field(named: best.key), field.type.isOrdered else { return nil }
        return field
    }

    /// The value in the form by which entries are sorted, or `nil` if no row can have it.
    private mutating func key(of value: FieldValue, _ field: FieldLayout) throws -> Key? {
        guard let value = QueryPredicate.constant(value, for: field.type, field: field) else {
            throw misfit(field, "the value has another type")
        }
        switch (field.type, value) {
        case (.double, .int(let number)):
            let double = Double(number)
            return Int64(exactly: double) == number ? .words(double.entryWord, 0) : nil
        case (_, .int(let number)): return .words(number, 0)
        case (.double, .double(let number)): return .words(number.entryWord, 0)
        case (_, .double(let number)): return Int64(exactly: number).map { .words($0, 0) }
        case (_, .bool(let flag)): return .words(flag ? 1 : 0, 0)
        case (_, .string(let text)): return .text(constant(Array(text.utf8)))
        case (_, .date(let date)): return .words(date.instant.seconds, Int64(date.instant.nanoseconds))
        case (_, .time(let time)): return .words(time.instant.seconds, Int64(time.instant.nanoseconds))
        case (_, .dateTime(let dateTime)):
            return .words(dateTime.instant.seconds, Int64(dateTime.instant.nanoseconds))
        case (_, .embedded), (_, .list): preconditionFailure("ordered fields hold neither lists nor embedded values")
        }
    }

    private mutating func dispatch(_ alternatives: [Alternative], _ field: FieldLayout, _ depth: Int) throws {
        let index = nodes.count
        var own: [RowPredicate.Entry] = []
        var node = RowPredicate.Node(operation: .alternatives, slot: field.slot)
        node.int = Int64(RowPredicate.EntryKind(field.kind).rawValue)
        nodes.append(node)
        // Most alternatives have no further condition.
        let nothing = nodes.count
        nodes.append(.init(operation: .and))
        for alternative in alternatives {
            var member = nothing
            if !alternative.rest.isEmpty {
                member = nodes.count
                try group(.and, alternative.rest, depth + 1)
            }
            switch alternative.key {
            case .words(let first, let second):
                own.append(.init(first: first, second: second, member: member))
            case .text(let range):
                own.append(.init(first: Int64(range.lowerBound), second: Int64(range.count), member: member))
            }
        }
        // The further conditions may contain alternatives, which have entries of their own.
        nodes[index].extent = nodes.count - index - 1
        nodes[index].constant = entries.count..<entries.count + own.count
        entries += own.sorted { precedes($0, $1, isText: field.type.isText) }
    }

    private func precedes(_ left: RowPredicate.Entry, _ right: RowPredicate.Entry, isText: Bool) -> Bool {
        if isText { return constants[left.textRange].lexicographicallyPrecedes(constants[right.textRange]) }
        return (left.first, left.second) < (right.first, right.second)
    }
}

extension QueryPredicate {
    /// The fields that the predicate compares with one value for equality, alone or in a conjunction, and these values.
    fileprivate var equalities: [(field: String, value: FieldValue)] {
        switch self {
        case .field(let name, .equal(let value?)): [(name, value)]
        case .and(let members):
            members.compactMap { if case .field(let name, .equal(let value?)) = $0 { (name, value) } else { nil } }
        default: []
        }
    }

    /// The value with which the predicate compares the field called `name` for equality, and its further conditions.
    ///
    /// The result is `nil` if the predicate does not compare that field for equality.
    fileprivate func equality(of name: String) -> (value: FieldValue, rest: [QueryPredicate])? {
        switch self {
        case .field(name, .equal(let value?)): return (value, [])
        case .and(var members):
            for (index, member) in members.enumerated() {
                guard case .field(name, .equal(let value?)) = member else { continue }
                members.remove(at: index)
                return (value, members)
            }
            return nil
        default: return nil
        }
    }
}

extension Double {
    /// A number by which entries are found. It is equal for equal numbers, including 0 and -0. Its order has no meaning.
    var entryWord: Int64 { Int64(bitPattern: (self == 0 ? 0 : self).bitPattern) }
}
