internal import TidelogCore
internal import TidelogGraphQLExecution

/// Makes filters of a model from arguments that match their input types.
struct FilterReader {
    let model: ModelSchema
    let schema: Schema

    /// The largest number of values that a filter may compare with the values of a record.
    static let maximumTests = 1_000
    /// The deepest nesting of `and`, `or` and `not`. A deeper predicate could not be evaluated.
    private static let maximumDepth = 90

    /// Reads a filter. If `input` is null or missing, every record passes.
    func filter(_ input: InputValue?) throws(ResolverError) -> RecordFilter {
        guard case .object(let object)? = input else { return .all }
        var reading = Reading()
        let predicate = try predicate(object, &reading)
        assert(reading.depth == 0, "each level that was entered was left")
        guard reading.testCount <= Self.maximumTests else {
            throw ResolverError(
                "The filter compares more than 1,000 values: ask with several.", errorType: "BadRequest")
        }
        return RecordFilter(predicate: predicate, fields: reading.fields)
    }

    /// The state of reading one filter.
    private struct Reading {
        /// The number of values that the filter compares.
        var testCount = 0
        /// The fields that the filter tests.
        var fields: Set<String> = []
        var depth = 0
    }

    private func predicate(
        _ object: InputObject, _ reading: inout Reading
    ) throws(ResolverError) -> QueryPredicate {
        guard reading.depth < Self.maximumDepth else {
            throw ResolverError("The filter nests deeper than 90 levels.", errorType: "BadRequest")
        }
        reading.depth += 1
        defer { reading.depth -= 1 }
        var members: [QueryPredicate] = []
        for member in object.members {
            switch member.name {
            case "and": members.append(.conjunction(try predicates(member.value, &reading)))
            case "or":
                let alternatives = try predicates(member.value, &reading)
                if !alternatives.isEmpty { members.append(.or(alternatives)) }
            case "not":
                guard case .object(let inner) = member.value else { continue }
                members.append(.not(try predicate(inner, &reading)))
            default: members += try tests(member, &reading)
            }
        }
        return .conjunction(members)
    }

    private func predicates(
        _ value: InputValue, _ reading: inout Reading
    ) throws(ResolverError) -> [QueryPredicate] {
        var predicates: [QueryPredicate] = []
        for case .object(let object) in value.elements { predicates.append(try predicate(object, &reading)) }
        return predicates
    }

    /// The tests of one field.
    private func tests(
        _ member: InputObject.Member, _ reading: inout Reading
    ) throws(ResolverError) -> [QueryPredicate] {
        guard case .object(let operators) = member.value else { return [] }
        guard let field = model.field(named: member.name) else { throw Self.unusable }
        let tests = FieldTests(field: field, schema: schema)
        var predicates: [QueryPredicate] = []
        for test in operators.members {
            guard let (predicate, testCount) = try tests.predicate(test.name, test.value) else { continue }
            predicates.append(predicate)
            reading.testCount += testCount
            reading.fields.insert(field.name)
        }
        return predicates
    }

    static let unusable = ResolverError("Unable to process the filter expression", errorType: "Unrecognized Filter")
}

extension QueryPredicate {
    /// All of `members` hold.
    fileprivate static func conjunction(_ members: [QueryPredicate]) -> QueryPredicate {
        let members = members.filter { $0 != .all }
        return members.isEmpty ? .all : members.count == 1 ? members[0] : .and(members)
    }
}

extension InputValue {
    /// The elements of a list. Null has no elements. Any other value is its own single element.
    var elements: [InputValue] {
        switch self {
        case .null: []
        case .list(let elements): elements
        default: [self]
        }
    }
}
