import Tidelog

/// A filter of the API in its simplest form. It is evaluated on the values of records, without predicates and rows. A test of
/// a missing value fails, except for `ne`, `notContains` and `attributeExists: false`.
indirect enum PlainFilter: Sendable, Hashable {
    /// The value of this field passes the test.
    case field(String, PlainTest)
    /// All filters pass. If there are none, every record passes.
    case and([PlainFilter])
    /// At least one filter passes.
    case or([PlainFilter])
    /// The filter does not pass.
    case not(PlainFilter)

    /// The filter that every record passes.
    static let all = PlainFilter.and([])

    /// Whether `record` passes.
    func holds(for record: Record) -> Bool {
        switch self {
        case .field(let name, let test): test.holds(for: record[name])
        case .and(let filters): filters.allSatisfy { $0.holds(for: record) }
        case .or(let filters): filters.contains { $0.holds(for: record) }
        case .not(let filter): !filter.holds(for: record)
        }
    }
}

/// A test of one value: one operator of a filter.
enum PlainTest: Sendable, Hashable {
    /// A comparison of two values.
    enum Comparison: String, Sendable, Hashable, CaseIterable {
        case eq, ne, lt, le, gt, ge

        func holds(for order: Int) -> Bool {
            switch self {
            case .eq: order == 0
            case .ne: order != 0
            case .lt: order < 0
            case .le: order <= 0
            case .gt: order > 0
            case .ge: order >= 0
            }
        }
    }

    case compares(Comparison, FieldValue)
    /// The value is at least the first and at most the second.
    case between(FieldValue, FieldValue)
    case beginsWith(String)
    /// The value is a text that contains this text, or a list that contains this element.
    case contains(FieldValue)
    case notContains(FieldValue)
    /// The value exists, or does not exist.
    case exists(Bool)
    /// The value would have this type in DynamoDB.
    case type(String)
    /// The comparison is true for the number of a text's UTF-8 bytes or of a list's elements.
    case size(Comparison, Int64)
    case sizeBetween(Int64, Int64)
    /// The value is equal to one of these.
    case isIn([FieldValue])
    /// The value exists, and is equal to none of these.
    case notIn([FieldValue])

    /// Whether `value` passes.
    func holds(for value: FieldValue?) -> Bool {
        guard let value else {
            switch self {
            case .compares(.ne, _), .notContains, .exists(false): return true
            default: return false
            }
        }
        switch self {
        case .compares(.eq, let other): return value == other || value.order(to: other) == 0
        case .compares(.ne, let other): return value != other && value.order(to: other) != 0
        case .compares(let comparison, let other): return value.order(to: other).map(comparison.holds) ?? false
        case .between(let low, let high):
            guard let above = value.order(to: low), let below = value.order(to: high) else { return false }
            return above >= 0 && below <= 0
        case .beginsWith(let prefix): return value.begins(with: prefix)
        case .contains(let part): return value.has(part)
        case .notContains(let part): return !value.has(part)
        case .exists(let exists): return exists
        case .type(let name): return value.attributeType == name
        case .size(let comparison, let number):
            return value.size.map { comparison.holds(for: Self.order($0, number)) } ?? false
        case .sizeBetween(let low, let high): return value.size.map { $0 >= low && $0 <= high } ?? false
        case .isIn(let values): return values.contains { value == $0 || value.order(to: $0) == 0 }
        case .notIn(let values): return !values.contains { value == $0 || value.order(to: $0) == 0 }
        }
    }

    private static func order(_ left: Int64, _ right: Int64) -> Int { left == right ? 0 : left < right ? -1 : 1 }
}

extension FieldValue {
    /// Whether the value is a text that contains `part`, or a list with that element.
    fileprivate func has(_ part: FieldValue) -> Bool {
        if let elements { return elements.contains { $0 == part || ($0?.order(to: part)).map { $0 == 0 } ?? false } }
        guard let text = plainText.map({ Array($0.utf8) }), let part = part.plainText.map({ Array($0.utf8) }) else {
            return false
        }
        return text.count >= part.count
            && (0...(text.count - part.count)).contains { text[$0...].starts(with: part) }
    }

    /// The number of a text's UTF-8 bytes or of a list's elements; `nil` for other values.
    fileprivate var size: Int64? {
        if let elements { return Int64(elements.count) }
        return plainText.map { Int64($0.utf8.count) }
    }

    /// The value's type in DynamoDB, with the name in the API's enum.
    fileprivate var attributeType: String {
        switch self {
        case .string, .date, .time, .dateTime: "string"
        case .int, .double: "number"
        case .bool: "bool"
        case .embedded: "map"
        case .list: "list"
        }
    }
}

extension FieldValue {
    /// Compares this value with `other`: -1 if this value is smaller, 0 if both are equal, 1 if this value is greater; `nil` if
    /// they cannot be compared.
    ///
    /// Numbers are compared exactly, and texts by their UTF-8 bytes. Temporal values are compared by their instants. A temporal
    /// value and the beginning of one are compared as texts in UTC, and a temporal value and any other text as they are.
    fileprivate func order(to other: FieldValue) -> Int? {
        switch (self, other) {
        case (.int(let left), .int(let right)): Self.order(left, right)
        case (.double(let left), .double(let right)): Self.order(left, right)
        case (.int(let left), .double(let right)): self == other ? 0 : Self.order(Double(left), right)
        case (.double(let left), .int(let right)): self == other ? 0 : Self.order(left, Double(right))
        case (.bool(let left), .bool(let right)): Self.order(left ? 1 : 0, right ? 1 : 0)
        case (.date(let left), .date(let right)): Self.order(left.instant, right.instant)
        case (.time(let left), .time(let right)): Self.order(left.instant, right.instant)
        case (.dateTime(let left), .dateTime(let right)): Self.order(left.instant, right.instant)
        default:
            if let beginning = other.plainText, let order = orderInUTC(to: beginning) {
                order
            } else if let left = plainText, let right = other.plainText {
                if left.utf8.elementsEqual(right.utf8) {
                    0
                } else {
                    left.utf8.lexicographicallyPrecedes(right.utf8) ? -1 : 1
                }
            } else {
                nil
            }
        }
    }

    private static func order<Value: Comparable>(_ left: Value, _ right: Value) -> Int {
        left == right ? 0 : left < right ? -1 : 1
    }
}

extension FieldValue {
    /// The text of a text, a date or a time.
    fileprivate var plainText: String? {
        switch self {
        case .string(let text): text
        case .date(let date): date.text
        case .time(let time): time.text
        case .dateTime(let dateTime): dateTime.text
        default: nil
        }
    }
}

/// Temporal values and the beginnings of their texts.
extension FieldValue {
    /// Whether the value's text begins with `beginning`. The text of a temporal value is its text in UTC. A beginning with an
    /// offset is a whole value.
    fileprivate func begins(with beginning: String) -> Bool {
        if orderInUTC(to: beginning) != nil { return textInUTC?.utf8.starts(with: beginning.utf8) ?? false }
        switch self {
        case .date(let date): if let other = try? Temporal.Date(beginning) { return date == other }
        case .time(let time): if let other = try? Temporal.Time(beginning) { return time == other }
        case .dateTime(let dateTime): if let other = try? Temporal.DateTime(beginning) { return dateTime == other }
        default: break
        }
        return plainText.map { $0.utf8.starts(with: beginning.utf8) } ?? false
    }

    /// Compares the text in UTC of a temporal value with the beginning of such a text; `nil` if `beginning` is not one.
    private func orderInUTC(to beginning: String) -> Int? {
        guard let text = textInUTC, Self.isBeginning(beginning, of: self) else { return nil }
        return text.utf8.lexicographicallyPrecedes(beginning.utf8) ? -1 : 1
    }

    /// The text of a temporal value in UTC, without `Z` and with all digits of the fraction. A time of another day sorts before
    /// or after all times.
    private var textInUTC: String? {
        let (instant, day): (Temporal.Instant, Bool) =
            switch self {
            case .date(let date): (date.instant, true)
            case .time(let time): (time.instant, false)
            case .dateTime(let dateTime): (dateTime.instant, true)
            default: (Temporal.Instant(seconds: 0), false)
            }
        guard plainText != nil else { return nil }
        if case .string = self { return nil }
        if !day, instant.seconds < 0 { return "" }
        if !day, instant.seconds >= 86_400 { return ":" }
        let whole = Temporal.DateTime(Temporal.Instant(seconds: instant.seconds), secondsFromUTC: 0).text.dropLast()
        if case .date = self { return String(whole.prefix(10)) }
        let digits = String(instant.nanoseconds)
        let fraction = String(repeating: "0", count: 9 - digits.count) + digits
        return "\(day ? whole : whole.dropFirst(11)).\(fraction)"
    }

    /// Whether a text in UTC of the type of `value` begins with `text`.
    private static func isBeginning(_ text: String, of value: FieldValue) -> Bool {
        let whole = "2000-01-01T00:00:00.000000000"
        let pattern: Substring =
            switch value {
            case .date: whole.prefix(10)
            case .time: whole.dropFirst(11)
            default: whole[...]
            }
        guard !text.isEmpty, text.count <= pattern.count else { return false }
        let rest = pattern.dropFirst(text.count)
        let ends = ["\(rest)"] + (0...9).map { "\($0)\(rest.dropFirst())" }
        return ends.contains { end in
            guard text.count + end.count == pattern.count else { return false }
            switch value {
            case .date: return (try? Temporal.Date(text + end)) != nil
            case .time: return (try? Temporal.Time(text + end + "Z")) != nil
            default: return (try? Temporal.DateTime(text + end + "Z")) != nil
            }
        }
    }
}
