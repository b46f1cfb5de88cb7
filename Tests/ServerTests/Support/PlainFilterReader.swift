import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

/// Makes plain filters of a model from arguments that match their input types.
struct PlainFilterReader {
    let model: ModelSchema
    let schema: Schema

    /// Reads a filter. If `input` is null or missing, every record passes.
    func filter(_ input: InputValue?) throws(ResolverError) -> PlainFilter {
        guard case .object(let object)? = input else { return .all }
        return try filter(object)
    }

    private func filter(_ object: InputObject) throws(ResolverError) -> PlainFilter {
        var filters: [PlainFilter] = []
        for member in object.members {
            switch member.name {
            case "and": filters.append(.and(try self.filters(member.value)))
            case "or":
                let alternatives = try self.filters(member.value)
                if !alternatives.isEmpty { filters.append(.or(alternatives)) }
            case "not":
                guard case .object(let inner) = member.value else { continue }
                filters.append(.not(try filter(inner)))
            default: filters += try tests(member)
            }
        }
        return filters.count == 1 ? filters[0] : .and(filters)
    }

    private func filters(_ value: InputValue) throws(ResolverError) -> [PlainFilter] {
        var filters: [PlainFilter] = []
        for case .object(let object) in value.elements { filters.append(try filter(object)) }
        return filters
    }

    private func tests(_ member: InputObject.Member) throws(ResolverError) -> [PlainFilter] {
        guard case .object(let operators) = member.value else { return [] }
        guard let field = model.field(named: member.name) else { throw FilterReader.unusable }
        var tests: [PlainFilter] = []
        for test in operators.members {
            for made in try self.tests(test.name, test.value, field) { tests.append(.field(field.name, made)) }
        }
        return tests
    }

    private func tests(
        _ name: String, _ value: InputValue, _ field: FieldSchema
    ) throws(ResolverError) -> [PlainTest] {
        if value.isNull {
            // The store does not keep null values, so a null means a missing value.
            switch name {
            case "eq": return [.exists(false)]
            case "ne": return [.exists(true)]
            default: return []
            }
        }
        if let comparison = PlainTest.Comparison(rawValue: name) {
            return [.compares(comparison, try self.value(value, field))]
        }
        switch name {
        case "between":
            let (low, high) = try pair(value)
            return [.between(try self.value(low, field), try self.value(high, field))]
        case "beginsWith": return [.beginsWith(try text(value))]
        case "contains": return [.contains(try part(value, field))]
        case "notContains": return [.notContains(try part(value, field))]
        case "attributeExists": return [.exists(value == .bool(true))]
        case "attributeType": return [.type(try text(value))]
        case "size": return try sizes(value)
        case "in": return [.isIn(try values(value, field))]
        case "notIn": return [.exists(true), .notIn(try values(value, field))]
        default: throw FilterReader.unusable
        }
    }

    private func sizes(_ value: InputValue) throws(ResolverError) -> [PlainTest] {
        guard case .object(let object) = value else { throw FilterReader.unusable }
        var tests: [PlainTest] = []
        for member in object.members where !member.value.isNull {
            if let comparison = PlainTest.Comparison(rawValue: member.name) {
                tests.append(.size(comparison, try number(member.value)))
            } else {
                let (low, high) = try pair(member.value)
                tests.append(.sizeBetween(try number(low), try number(high)))
            }
        }
        return tests
    }

    private func value(_ input: InputValue, _ field: FieldSchema) throws(ResolverError) -> FieldValue {
        guard let value = FieldValue(input, as: field.type, in: schema) else { throw FilterReader.unusable }
        return value
    }

    /// The text or the element that `contains` looks for.
    private func part(_ input: InputValue, _ field: FieldSchema) throws(ResolverError) -> FieldValue {
        var type = field.type
        if case .list(let element, _) = type { type = element }
        guard let value = FieldValue(input, as: type, in: schema) else { throw FilterReader.unusable }
        return value
    }

    private func values(_ input: InputValue, _ field: FieldSchema) throws(ResolverError) -> [FieldValue] {
        var values: [FieldValue] = []
        for element in input.elements { values.append(try value(element, field)) }
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
