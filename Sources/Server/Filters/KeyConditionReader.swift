internal import TidelogCore
internal import TidelogGraphQL

/// Makes the predicate of an index query or key query from its arguments.
struct KeyConditionReader {
    let model: ModelSchema
    let schema: Schema

    /// The predicate for `arguments`; `nil` if they give no value for the first field of the key, which means the whole table.
    func predicate(_ arguments: KeyArguments, of field: SelectedField) throws(ResolverError) -> QueryPredicate? {
        guard let input = field[argument: arguments.partition], !input.isNull,
            let value = try value(input, arguments.partition)
        else { return nil }
        let partition = QueryPredicate.field(arguments.partition, .equal(value))
        guard let sort = arguments.sort, let condition = try predicate(sort, field[argument: sort.name]) else {
            return partition
        }
        return partition && condition
    }

    /// The predicate for a condition on sort fields; `nil` if the condition is empty.
    func predicate(_ sort: SortArgument, _ condition: InputValue?) throws(ResolverError) -> QueryPredicate? {
        guard case .object(let object)? = condition else { return nil }
        var predicates: [QueryPredicate] = []
        for member in object.members where !member.value.isNull {
            predicates.append(try predicate(member.name, member.value, sort.fields))
        }
        return predicates.isEmpty ? nil : .and(predicates)
    }

    private func predicate(
        _ name: String, _ input: InputValue, _ fields: [String]
    ) throws(ResolverError) -> QueryPredicate {
        if name == "between" {
            guard input.elements.count == 2 else { throw FilterReader.unusable }
            let low = try values(input.elements[0], fields)
            let high = try values(input.elements[1], fields)
            return Self.order(low, isAbove: true, isEqualToo: true)
                && Self.order(high, isAbove: false, isEqualToo: true)
        }
        let values = try values(input, fields)
        guard let last = values.last else { throw FilterReader.unusable }
        switch name {
        case "eq": return .and(values.map { .field($0.field, .equal($0.value)) })
        case "beginsWith":
            guard let text = last.value.text else { throw FilterReader.unusable }
            return .and(
                values.dropLast().map { .field($0.field, .equal($0.value)) } + [.field(last.field, .beginsWith(text))])
        case "lt", "le": return Self.order(values, isAbove: false, isEqualToo: name == "le")
        case "gt", "ge": return Self.order(values, isAbove: true, isEqualToo: name == "ge")
        default: throw FilterReader.unusable
        }
    }

    /// The values for the first one or more fields of a key.
    private func values(
        _ input: InputValue, _ fields: [String]
    ) throws(ResolverError) -> [(field: String, value: FieldValue)] {
        guard case .object(let object) = input else {
            guard let field = fields.first, let value = try value(input, field) else { throw FilterReader.unusable }
            return [(field, value)]
        }
        var values: [(field: String, value: FieldValue)] = []
        for field in fields {
            guard let member = object[field], let value = try value(member, field) else { break }
            values.append((field, value))
        }
        guard !values.isEmpty, values.count == object.members.count(where: { !$0.value.isNull }) else {
            throw FilterReader.unusable
        }
        return values
    }

    /// The predicate for the records before or after `values`, in the order of the fields.
    private static func order(
        _ values: [(field: String, value: FieldValue)], isAbove: Bool, isEqualToo: Bool
    ) -> QueryPredicate {
        var alternatives: [QueryPredicate] = []
        for (index, last) in values.enumerated() {
            let isLast = index == values.count - 1
            let comparison: QueryPredicate.Comparison =
                switch (isAbove, isLast && isEqualToo) {
                case (true, false): .greater(last.value)
                case (true, true): .greaterOrEqual(last.value)
                case (false, false): .less(last.value)
                case (false, true): .lessOrEqual(last.value)
                }
            let equal = values[..<index].map { QueryPredicate.field($0.field, .equal($0.value)) }
            alternatives.append(
                equal.isEmpty ? .field(last.field, comparison) : .and(equal + [.field(last.field, comparison)]))
        }
        return alternatives.count == 1 ? alternatives[0] : .or(alternatives)
    }

    private func value(_ input: InputValue, _ name: String) throws(ResolverError) -> FieldValue? {
        guard let field = model.field(named: name) else { throw FilterReader.unusable }
        let value = FieldValue(input, as: field.type, in: schema)
        if case .string? = value, !field.type.isText { throw FilterReader.unusable }
        return value
    }
}
