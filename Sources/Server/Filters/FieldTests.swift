internal import TidelogCore
internal import TidelogGraphQLExecution

/// The tests of one field: the operators of filters, as predicates.
///
/// A value that the field can never have is compared as DynamoDB does: equality never holds, and neither does an order. Dates
/// and times are the exception, because DynamoDB compares them as texts. The beginning of their text is before all instants
/// that it names, and any other text is compared byte by byte.
struct FieldTests {
    let field: FieldSchema
    let schema: Schema

    private typealias Comparison = QueryPredicate.Comparison

    /// The comparisons of two values, by their names.
    enum Relation: String {
        case eq, ne, lt, le, gt, ge
    }

    /// The predicate for the operator `name` with `value`, and the number of values that it compares; `nil` if the operator
    /// tests nothing.
    func predicate(
        _ name: String, _ value: InputValue
    ) throws(ResolverError) -> (predicate: QueryPredicate, testCount: Int)? {
        if value.isNull {
            // The store does not keep null values, so a null means a missing value.
            switch name {
            case "eq": return (exists(false), 1)
            case "ne": return (exists(true), 1)
            default: return nil
            }
        }
        if let relation = Relation(rawValue: name) { return (compare(relation, try self.value(value)), 1) }
        switch name {
        case "between":
            let (low, high) = try pair(value)
            return (between(try self.value(low), try self.value(high)), 1)
        case "beginsWith": return (beginsWith(try text(value)), 1)
        case "contains": return (contains(try part(value)), 1)
        case "notContains": return (.not(contains(try part(value))), 1)
        case "attributeExists": return (exists(value == .bool(true)), 1)
        case "attributeType": return (try text(value) == field.type.attributeType ? exists(true) : .never, 1)
        case "size": return try size(value)
        case "in":
            let values = try values(value)
            return (.or(values.map { compare(.eq, $0) }), values.count)
        case "notIn":
            let values = try values(value)
            return (.and([exists(true), .not(.or(values.map { compare(.eq, $0) }))]), values.count + 1)
        default: throw FilterReader.unusable
        }
    }

    // MARK: Predicates

    private func test(_ comparison: Comparison) -> QueryPredicate { .field(field.name, comparison) }

    private func exists(_ exists: Bool) -> QueryPredicate { test(exists ? .notEqual(nil) : .equal(nil)) }

    /// The comparison of the field with `value`.
    func compare(_ relation: Relation, _ value: FieldValue) -> QueryPredicate {
        if field.type.isComparable(with: value) {
            switch relation {
            case .eq: return test(.equal(value))
            case .ne: return test(.notEqual(value))
            default: break
            }
            guard field.type.isOrdered else { return .never }
            return test(Self.order(relation, value))
        }
        switch relation {
        case .eq: return .never
        case .ne: return .all
        default: break
        }
        guard field.type.isTemporal, case .string(let text) = value else { return .never }
        guard let prefix = TemporalPrefix(text, of: field.type) else {
            return ofPart("text", Self.order(relation, value))
        }
        let isBefore = relation == .lt || relation == .le
        return test(isBefore ? .less(prefix.first) : .greaterOrEqual(prefix.first))
    }

    /// The test whether the text of the field begins with `text`. A date or a time is tested by its instant.
    func beginsWith(_ text: String) -> QueryPredicate {
        guard field.type.isTemporal else { return ofText(.beginsWith(text)) }
        if let prefix = TemporalPrefix(text, of: field.type) { return test(.between(prefix.first, prefix.last)) }
        // A text with an offset is complete.
        if let value = FieldValue(.string(text), as: field.type, in: schema), value.isTemporal {
            return test(.equal(value))
        }
        return ofText(.beginsWith(text))
    }

    private func between(_ low: FieldValue, _ high: FieldValue) -> QueryPredicate {
        guard field.type.isOrdered, field.type.isComparable(with: low), field.type.isComparable(with: high) else {
            return .and([compare(.ge, low), compare(.le, high)])
        }
        return test(.between(low, high))
    }

    private static func order(_ relation: Relation, _ value: FieldValue) -> Comparison {
        switch relation {
        case .eq: .equal(value)
        case .ne: .notEqual(value)
        case .lt: .less(value)
        case .le: .lessOrEqual(value)
        case .gt: .greater(value)
        case .ge: .greaterOrEqual(value)
        }
    }

    private func ofPart(_ part: String, _ comparison: Comparison) -> QueryPredicate {
        .related(field.name, .field(part, comparison))
    }

    /// The comparison of a text, or of the text of a date or time.
    private func ofText(_ comparison: Comparison) -> QueryPredicate {
        field.type.isText ? test(comparison) : field.type.isTemporal ? ofPart("text", comparison) : .never
    }

    private func contains(_ part: FieldValue) -> QueryPredicate {
        if case .list(let element, _) = field.type {
            return element.isComparable(with: part) ? test(.contains(part)) : .never
        }
        return part.text.map { ofText(.contains(.string($0))) } ?? .never
    }

    private func size(_ value: InputValue) throws(ResolverError) -> (predicate: QueryPredicate, testCount: Int)? {
        guard case .object(let object) = value else { throw FilterReader.unusable }
        var predicates: [QueryPredicate] = []
        for member in object.members where !member.value.isNull {
            if let relation = Relation(rawValue: member.name) {
                predicates.append(ofSize(Self.order(relation, .int(try number(member.value)))))
            } else {
                let (low, high) = try pair(member.value)
                predicates.append(ofSize(.between(.int(try number(low)), .int(try number(high)))))
            }
        }
        return predicates.isEmpty ? nil : (.and(predicates), predicates.count)
    }

    private func ofSize(_ comparison: Comparison) -> QueryPredicate {
        field.type.hasSize ? ofPart("size", comparison) : .never
    }

    // MARK: Values

    /// The value of an argument that is not null.
    func value(_ input: InputValue) throws(ResolverError) -> FieldValue {
        guard let value = FieldValue(input, as: field.type, in: schema) else { throw FilterReader.unusable }
        return value
    }

    /// The text or the element that `contains` looks for.
    private func part(_ input: InputValue) throws(ResolverError) -> FieldValue {
        var type = field.type
        if case .list(let element, _) = type { type = element }
        guard let value = FieldValue(input, as: type, in: schema) else { throw FilterReader.unusable }
        return value
    }

    private func values(_ input: InputValue) throws(ResolverError) -> [FieldValue] {
        var values: [FieldValue] = []
        for element in input.elements { values.append(try value(element)) }
        return values
    }

    private func pair(_ value: InputValue) throws(ResolverError) -> (InputValue, InputValue) {
        guard value.elements.count == 2 else { throw FilterReader.unusable }
        return (value.elements[0], value.elements[1])
    }

    private func text(_ value: InputValue) throws(ResolverError) -> String {
        guard case .string(let text) = value else { throw FilterReader.unusable }
        return text
    }

    private func number(_ value: InputValue) throws(ResolverError) -> Int64 {
        guard case .int(let number) = value else { throw FilterReader.unusable }
        return number
    }
}

extension QueryPredicate {
    /// The predicate that no record passes.
    fileprivate static var never: QueryPredicate { .or([]) }
}

extension FieldValue {
    fileprivate var isTemporal: Bool {
        switch self {
        case .date, .time, .dateTime: true
        default: false
        }
    }
}

extension FieldType {
    fileprivate var isTemporal: Bool {
        switch self {
        case .date, .time, .dateTime: true
        default: false
        }
    }

    /// Whether values have a size: the bytes of a text, or the elements of a list.
    fileprivate var hasSize: Bool {
        switch self {
        case .list(.embedded, _): false
        case .list: true
        default: isText || isTemporal
        }
    }

    /// Whether a value of this type can be equal to `value`.
    fileprivate func isComparable(with value: FieldValue) -> Bool {
        switch (self, value) {
        case (_, .double(let number)): isNumber && number.isFinite
        case (_, .int): isNumber
        case (.bool, .bool), (.date, .date), (.time, .time), (.dateTime, .dateTime): true
        case (_, .string): isText
        case (.list(let element, let isRequired), .list(let values)):
            values.allSatisfy { $0.map(element.isEqualType) ?? !isRequired }
        default: false
        }
    }

    /// Whether an element of this type in a list can be equal to `value`.
    private func isEqualType(to value: FieldValue) -> Bool {
        switch (self, value) {
        case (.double, .int), (.int, .double), (.timestamp, .double): false
        default: isComparable(with: value)
        }
    }

    private var isNumber: Bool {
        switch self {
        case .int, .timestamp, .double: true
        default: false
        }
    }

    /// The type that values of this type have in DynamoDB, with the name in the API's enum.
    fileprivate var attributeType: String {
        switch self {
        case .id, .string, .enumeration, .date, .time, .dateTime: "string"
        case .int, .double, .timestamp: "number"
        case .bool: "bool"
        case .embedded: "map"
        case .list: "list"
        }
    }
}
