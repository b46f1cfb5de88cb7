internal import TidelogCore
internal import TidelogGraphQL

/// A filter or condition of the API on one record: a test on a value that is missing fails, but for `ne`, `notContains` and
/// `attributeExists: false`.
indirect enum RecordFilter: Sendable, Hashable {
    /// The value of the field called so passes the test.
    case field(String, FilterTest)
    /// All of them hold; with none, every record passes.
    case and([RecordFilter])
    /// One of them holds.
    case or([RecordFilter])
    /// It does not hold.
    case not(RecordFilter)

    /// Every record.
    static let all = RecordFilter.and([])

    /// Whether it tests nothing, so that every record passes.
    var passesAll: Bool {
        if case .and(let filters) = self { filters.isEmpty } else { false }
    }

    /// Whether `record` passes.
    ///
    /// - Throws: an error if `budget` does not allow the comparisons that it takes.
    func holds(for record: Record, within budget: ComparisonBudget) throws(ResolverError) -> Bool {
        switch self {
        case .field(let name, let test):
            return try test.holds(for: record[name], within: budget)
        case .and(let filters):
            for filter in filters where try !filter.holds(for: record, within: budget) { return false }
            return true
        case .or(let filters):
            for filter in filters where try filter.holds(for: record, within: budget) { return true }
            return false
        case .not(let filter):
            return try !filter.holds(for: record, within: budget)
        }
    }

    /// The filters that must all hold for this one to hold, as far as it is a conjunction.
    var conjuncts: [RecordFilter] {
        guard case .and(let filters) = self else { return [self] }
        return filters.flatMap(\.conjuncts)
    }

    /// How many values it compares at most with those of a record.
    var testCount: Int {
        switch self {
        case .field(_, .isIn(let values)), .field(_, .notIn(let values)): values.count
        case .field: 1
        case .and(let filters), .or(let filters): filters.reduce(0) { $0 + $1.testCount }
        case .not(let filter): filter.testCount
        }
    }

    /// The names of the fields that it looks at.
    var fields: Set<String> {
        switch self {
        case .field(let name, _): [name]
        case .and(let filters), .or(let filters): filters.reduce(into: []) { $0.formUnion($1.fields) }
        case .not(let filter): filter.fields
        }
    }
}

/// What one operator of a filter asks of a value.
enum FilterTest: Sendable, Hashable {
    /// How a value compares with another.
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
    /// At least the first and at most the second.
    case between(FieldValue, FieldValue)
    case beginsWith(String)
    /// A text that has this one in it, or a list with this element.
    case contains(FieldValue)
    case notContains(FieldValue)
    /// Whether there is a value.
    case exists(Bool)
    /// The type of DynamoDB that the value would have.
    case type(String)
    /// The number of a text's UTF-8 bytes or of a list's elements compares so.
    case size(Comparison, Int64)
    case sizeBetween(Int64, Int64)
    /// One of these values.
    case isIn([FieldValue])
    /// A value, and none of these.
    case notIn([FieldValue])

    /// Whether `value` passes.
    ///
    /// - Throws: an error if `budget` does not allow the comparisons that it takes.
    func holds(for value: FieldValue?, within budget: ComparisonBudget) throws(ResolverError) -> Bool {
        try budget.spend(value.map(comparedByteCount) ?? 0)
        return holds(for: value)
    }

    /// How many bytes are compared at most to test `value`.
    private func comparedByteCount(_ value: FieldValue) -> Int {
        switch self {
        case .compares(_, let other): Self.comparedByteCount(value, other)
        case .between(let low, let high):
            Self.comparedByteCount(value, low) + Self.comparedByteCount(value, high)
        case .beginsWith(let prefix): prefix.utf8.count
        // A search looks at all of the text.
        case .contains(let part), .notContains(let part): value.byteCount + part.byteCount
        case .isIn(let values), .notIn(let values):
            values.reduce(0) { $0 + Self.comparedByteCount(value, $1) }
        case .exists, .type, .size, .sizeBetween: 0
        }
    }

    private static func comparedByteCount(_ left: FieldValue, _ right: FieldValue) -> Int {
        max(ComparisonBudget.leastByteCount, min(left.byteCount, right.byteCount))
    }

    private func holds(for value: FieldValue?) -> Bool {
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
        case .beginsWith(let prefix): return value.text.map { $0.utf8.starts(with: prefix.utf8) } ?? false
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
    /// Whether it is a text that has `part` in it, or a list with that element.
    fileprivate func has(_ part: FieldValue) -> Bool {
        if let elements { return elements.contains { $0 == part || ($0?.order(to: part)).map { $0 == 0 } ?? false } }
        guard var text, var part = part.text else { return false }
        return text.withUTF8 { text in
            part.withUTF8 { ByteSearch.contains(UnsafeRawBufferPointer(text), UnsafeRawBufferPointer($0)) }
        }
    }

    /// The number of a text's bytes or of a list's elements; `nil` for other values.
    fileprivate var size: Int64? {
        if let elements { return Int64(elements.count) }
        return text.map { Int64($0.utf8.count) }
    }

    /// The bytes that a comparison looks at, at most.
    fileprivate var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .list(let elements): elements.reduce(0) { $0 + ($1?.byteCount ?? ComparisonBudget.leastByteCount) }
        default: ComparisonBudget.leastByteCount
        }
    }

    /// What DynamoDB calls its type, as the API's enum names it.
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
