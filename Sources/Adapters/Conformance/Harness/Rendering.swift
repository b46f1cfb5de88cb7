@_spi(Adapters) internal import TidelogCore

extension Record {
    /// The record in ASCII. Two records have the same text only if they are equal in every byte.
    ///
    /// That includes the texts of temporals and the sign of zero, which equality ignores.
    var rendering: String {
        let fields = values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.rendering)" }
        return "\(model)(\(fields.joined(separator: ", ")))"
    }

    /// The record as it is stored in a row: with 0 instead of -0.
    var asStored: Record { Record(model: model, values: values.mapValues(\.asStored)) }
}

extension FieldValue {
    /// The text of a temporal.
    var temporalText: String? {
        switch self {
        case .date(let date): date.text
        case .time(let time): time.text
        case .dateTime(let dateTime): dateTime.text
        default: nil
        }
    }

    fileprivate var asStored: FieldValue {
        switch self {
        case .double(0): .double(0)
        case .embedded(let values): .embedded(values.mapValues(\.asStored))
        case .list(let values): .list(values.map { $0?.asStored })
        default: self
        }
    }

    var rendering: String {
        switch self {
        case .string(let text): text.rendering
        case .int(let number): String(number)
        case .double(let number): "\(number)"
        case .bool(let flag): String(flag)
        case .date(let date): "date \(date.text.rendering) = \(date.instant.rendering)"
        case .time(let time): "time \(time.text.rendering) = \(time.instant.rendering)"
        case .dateTime(let dateTime): "dateTime \(dateTime.text.rendering) = \(dateTime.instant.rendering)"
        case .embedded(let values):
            "{" + values.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.rendering)" }.joined(separator: ", ")
                + "}"
        case .list(let values): "[" + values.map { $0?.rendering ?? "missing" }.joined(separator: ", ") + "]"
        }
    }
}

extension Temporal.Instant {
    fileprivate var rendering: String { "\(seconds)s \(nanoseconds)ns" }
}

extension String {
    /// The text, with the code point of each character outside printable ASCII.
    var rendering: String {
        var text = "\""
        for scalar in unicodeScalars {
            if (32..<127).contains(scalar.value), scalar != "\"", scalar != "\\" {
                text.unicodeScalars.append(scalar)
            } else {
                text += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return text + "\""
    }
}

extension QueryPredicate {
    /// The predicate in ASCII, for people.
    var rendering: String {
        switch self {
        case .all: "all"
        case .field(let name, let comparison): "\(name) \(comparison.rendering)"
        case .and(let members): "(" + members.map(\.rendering).joined(separator: " and ") + ")"
        case .or(let members): "(" + members.map(\.rendering).joined(separator: " or ") + ")"
        case .not(let member): "not (\(member.rendering))"
        case .related(let name, let member): "any \(name) (\(member.rendering))"
        }
    }
}

extension QueryPredicate.Comparison {
    fileprivate var rendering: String {
        switch self {
        case .equal(let value): "== \(value?.rendering ?? "nil")"
        case .notEqual(let value): "!= \(value?.rendering ?? "nil")"
        case .less(let value): "< \(value.rendering)"
        case .lessOrEqual(let value): "<= \(value.rendering)"
        case .greater(let value): "> \(value.rendering)"
        case .greaterOrEqual(let value): ">= \(value.rendering)"
        case .between(let lower, let upper): "between \(lower.rendering) and \(upper.rendering)"
        case .beginsWith(let prefix): "beginsWith \(prefix.rendering)"
        case .endsWith(let suffix): "endsWith \(suffix.rendering)"
        case .ignoringCase(let comparison, let text): "\(comparison) \(text.rendering) in any case"
        case .contains(let value): "contains \(value.rendering)"
        case .notContains(let value): "notContains \(value.rendering)"
        }
    }
}
