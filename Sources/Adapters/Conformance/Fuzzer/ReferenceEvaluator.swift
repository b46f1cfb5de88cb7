@_spi(Adapters) package import TidelogCore

/// The semantics of predicates and orders on records, implemented a second time in the simplest way.
///
/// It shares no code with the predicates that Core compiles, so each can reveal errors of the other.
package enum ReferenceEvaluator {
    /// Whether `record` satisfies `predicate`.
    ///
    /// - Parameter related: Returns whether one of the related records of a relation satisfies a predicate. Adapters do not
    ///   support such predicates: to them, the name is that of a missing embedded value.
    package static func evaluate(
        _ predicate: QueryPredicate, _ record: Record,
        related: (_ relation: String, QueryPredicate) -> Bool = { _, _ in false }
    ) -> Bool {
        switch predicate {
        case .all: return true
        case .and(let members): return members.allSatisfy { evaluate($0, record, related: related) }
        case .or(let members): return members.contains { evaluate($0, record, related: related) }
        case .not(let member): return !evaluate(member, record, related: related)
        case .field(let name, let comparison): return evaluate(comparison, record[name])
        case .related(let name, let member):
            if let part = part(record[name], member) { return part }
            return switch record[name] {
            case .embedded(let values)?: evaluate(member, Record(model: record.model, values: values), related: related)
            case .list(let elements)?:
                elements.contains { element in
                    guard case .embedded(let values)? = element else { return false }
                    return evaluate(member, Record(model: record.model, values: values), related: related)
                }
            default: related(name, member)
            }
        }
    }

    /// Whether the comparison `member` holds for the size or the text of `value`. The result is `nil` if it compares something
    /// else. No list holds embedded values with a field `size`.
    private static func part(_ value: FieldValue?, _ member: QueryPredicate) -> Bool? {
        guard let value, case .field(let name, let comparison) = member else { return nil }
        var text: String?
        switch value {
        case .string(let string): text = string
        case .date(let date): text = date.text
        case .time(let time): text = time.text
        case .dateTime(let dateTime): text = dateTime.text
        default: break
        }
        switch (name, value) {
        case ("size", .list(let elements)): return evaluate(comparison, .int(Int64(elements.count)))
        case ("size", _): return text.map { evaluate(comparison, .int(Int64($0.utf8.count))) }
        case ("text", _): return text.map { evaluate(comparison, .string($0)) }
        default: return nil
        }
    }

    private static func evaluate(_ comparison: QueryPredicate.Comparison, _ value: FieldValue?) -> Bool {
        switch comparison {
        case .equal(nil): return value == nil
        case .notEqual(nil): return value != nil
        case .notEqual(let other?): return !evaluate(.equal(other), value)
        case .notContains(let part): return !evaluate(.contains(part), value)
        default: break
        }
        guard let value else { return false }
        switch comparison {
        case .equal(let other?): return isEqual(value, other)
        case .less(let other): return order(value, other) < 0
        case .lessOrEqual(let other): return order(value, other) <= 0
        case .greater(let other): return order(value, other) > 0
        case .greaterOrEqual(let other): return order(value, other) >= 0
        case .between(let lower, let upper): return order(value, lower) >= 0 && order(value, upper) <= 0
        case .beginsWith(let prefix): return bytes(value).starts(with: Array(prefix.utf8))
        case .endsWith(let suffix): return bytes(value).reversed().starts(with: Array(suffix.utf8).reversed())
        case .ignoringCase(let comparison, let text):
            let value = caseless(bytes(value))
            let text = caseless(Array(text.utf8))
            switch comparison {
            case .equal: return value == text
            case .beginsWith: return value.starts(with: text)
            case .endsWith: return value.reversed().starts(with: text.reversed())
            case .contains: return has(value, text)
            }
        case .contains(let part):
            if case .list(let elements) = value {
                return elements.contains { element in element.map { isEqual($0, part) } ?? false }
            }
            return has(bytes(value), bytes(part))
        default: return false
        }
    }

    /// Compares two values of one type, with missing values first: the result is negative, 0 or positive.
    package static func order(_ left: FieldValue?, _ right: FieldValue?) -> Int {
        switch (left, right) {
        case (nil, nil): 0
        case (nil, _): -1
        case (_, nil): 1
        case (.string(let left)?, .string(let right)?): order(Array(left.utf8), Array(right.utf8))
        case (.int(let left)?, .int(let right)?): left < right ? -1 : (left > right ? 1 : 0)
        case (.double(let left)?, .double(let right)?): left < right ? -1 : (left > right ? 1 : 0)
        case (.int(let left)?, .double(let right)?): order(left, right)
        case (.double(let left)?, .int(let right)?): -order(right, left)
        case (.bool(let left)?, .bool(let right)?): (left ? 1 : 0) - (right ? 1 : 0)
        case (.date(let left)?, _): order(left, right)
        case (.time(let left)?, _): order(left, right)
        case (.dateTime(let left)?, _): order(left, right)
        default: preconditionFailure("values of different types have no order")
        }
    }

    /// Whether `left` comes before `right` in the order of `sort`, and then in the order of their ids' bytes.
    package static func precedes(_ left: Record, _ right: Record, _ sort: Sort) -> Bool {
        for key in sort.keys {
            let order = order(left[key.field], right[key.field])
            if order != 0 { return key.isDescending ? order > 0 : order < 0 }
        }
        return order(left["id"], right["id"]) < 0
    }

    private static func order(_ left: [UInt8], _ right: [UInt8]) -> Int {
        for (left, right) in zip(left, right) where left != right { return left < right ? -1 : 1 }
        return left.count - right.count
    }

    private static func order(_ left: Int64, _ right: Double) -> Int {
        if right >= 9_223_372_036_854_775_808 { return -1 }
        if right < -9_223_372_036_854_775_808 { return 1 }
        let whole = Int64(right.rounded(.towardZero))
        let fraction = right - right.rounded(.towardZero)
        if left != whole { return left < whole ? -1 : 1 }
        return fraction > 0 ? -1 : (fraction < 0 ? 1 : 0)
    }

    /// Compares a temporal with another temporal or with the text of one.
    private static func order<Value: TemporalText>(_ left: Value, _ right: FieldValue?) -> Int {
        let other: Temporal.Instant? =
            switch right {
            case .date(let date)?: date.instant
            case .time(let time)?: time.instant
            case .dateTime(let dateTime)?: dateTime.instant
            case .string(let text)?: (try? Value(text))?.instant
            default: nil
            }
        guard let other else { preconditionFailure("values of different types have no order") }
        if left.instant.seconds != other.seconds { return left.instant.seconds < other.seconds ? -1 : 1 }
        return Int(left.instant.nanoseconds) - Int(other.nanoseconds)
    }

    private static func isEqual(_ left: FieldValue, _ right: FieldValue) -> Bool {
        switch (left, right) {
        case (.list(let left), .list(let right)):
            left.count == right.count
                && zip(left, right).allSatisfy { pair in
                    switch pair {
                    case (nil, nil): true
                    case (let left?, let right?): isEqual(left, right)
                    default: false
                    }
                }
        case (.embedded(let left), .embedded(let right)):
            left.count == right.count
                && left.allSatisfy { name, value in right[name].map { isEqual(value, $0) } ?? false }
        case (.list, _), (.embedded, _), (_, .list), (_, .embedded): false
        default: order(left, right) == 0
        }
    }

    private static func bytes(_ value: FieldValue) -> [UInt8] {
        if case .string(let text) = value { return Array(text.utf8) }
        return []
    }

    /// A text in lower case. A character stays as it is if its upper or lower case consists of several characters.
    private static func caseless(_ text: [UInt8]) -> [UInt8] {
        let scalars = String(decoding: text, as: UTF8.self).unicodeScalars.map { scalar -> String in
            let upper = scalar.properties.uppercaseMapping.unicodeScalars
            guard upper.count == 1, let lower = upper.first?.properties.lowercaseMapping,
                lower.unicodeScalars.count == 1
            else { return scalar == "\u{1E9E}" ? "\u{DF}" : String(scalar) }
            return lower
        }
        return Array(scalars.joined().utf8)
    }

    private static func has(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard text.count >= part.count else { return false }
        return (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }
}
