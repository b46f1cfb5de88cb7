internal import TidelogCore
internal import TidelogGraphQLExecution

/// Makes the predicate of an index query or key query from its arguments.
struct KeyConditionReader {
    let model: ModelSchema
    let schema: Schema

    /// The predicate for `arguments`; `nil` if they give no value for the first field of the key, which means the whole table.
    func predicate(_ arguments: RootField.KeyArguments, of field: SelectedField) throws(ResolverError)
        -> QueryPredicate?
    {
        guard let input = field[argument: arguments.partition], !input.isNull else { return nil }
        let partition = Self.equality(try part(arguments.partition, input))
        guard let sort = arguments.sort, let condition = try predicate(sort, field[argument: sort.name]) else {
            return partition
        }
        return partition && condition
    }

    /// The predicate for a condition on sort fields; `nil` if the condition is empty.
    func predicate(_ sort: RootField.SortArgument, _ condition: InputValue?) throws(ResolverError) -> QueryPredicate? {
        guard case .object(let object)? = condition else { return nil }
        var predicates: [QueryPredicate] = []
        for member in object.members where !member.value.isNull {
            predicates.append(try predicate(member.name, member.value, sort.fields))
        }
        return predicates.isEmpty ? nil : .and(predicates)
    }

    /// A value for one field of a key.
    private typealias Part = (tests: FieldTests, value: FieldValue)

    private func predicate(
        _ name: String, _ input: InputValue, _ fields: [String]
    ) throws(ResolverError) -> QueryPredicate {
        switch name {
        case "between":
            guard input.elements.count == 2 else { throw FilterReader.unusable }
            let (low, high) = (try parts(input.elements[0], fields), try parts(input.elements[1], fields))
            return Self.order(.ge, low) && Self.order(.le, high)
        case "beginsWith":
            let parts = try parts(input, fields)
            guard let last = parts.last, let text = last.value.text else { throw FilterReader.unusable }
            return .and(parts.dropLast().map(Self.equality) + [last.tests.beginsWith(text)])
        case "eq": return .and(try parts(input, fields).map(Self.equality))
        default:
            guard let relation = FieldTests.Relation(rawValue: name) else { throw FilterReader.unusable }
            return Self.order(relation, try parts(input, fields))
        }
    }

    /// The values for the first one or more fields of a key.
    private func parts(_ input: InputValue, _ fields: [String]) throws(ResolverError) -> [Part] {
        guard case .object(let object) = input else {
            guard let field = fields.first else { throw FilterReader.unusable }
            return [try part(field, input)]
        }
        var parts: [Part] = []
        for field in fields {
            guard let member = object[field], !member.isNull else { break }
            parts.append(try part(field, member))
        }
        guard !parts.isEmpty, parts.count == object.members.count(where: { !$0.value.isNull }) else {
            throw FilterReader.unusable
        }
        return parts
    }

    private func part(_ name: String, _ input: InputValue) throws(ResolverError) -> Part {
        guard let field = model.field(named: name) else { throw FilterReader.unusable }
        let tests = FieldTests(field: field, schema: schema)
        return (tests, try tests.value(input))
    }

    private static func equality(_ part: Part) -> QueryPredicate { part.tests.compare(.eq, part.value) }

    /// The predicate for the records before or after the values, in the order of the fields.
    private static func order(_ relation: FieldTests.Relation, _ parts: [Part]) -> QueryPredicate {
        assert(!parts.isEmpty, "a condition compares at least one field of the key")
        let strict: FieldTests.Relation = relation == .lt || relation == .le ? .lt : .gt
        let alternatives = parts.enumerated().map { index, last in
            let isLast = index == parts.count - 1
            let comparison = last.tests.compare(isLast ? relation : strict, last.value)
            return index == 0 ? comparison : .and(parts[..<index].map(equality) + [comparison])
        }
        return alternatives.count == 1 ? alternatives[0] : .or(alternatives)
    }
}
