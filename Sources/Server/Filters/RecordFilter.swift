internal import TidelogCore
internal import TidelogGraphQL

/// A filter or condition of the API on one record. A test of a missing value fails, except for `ne`, `notContains` and
/// `attributeExists: false`.
indirect enum RecordFilter: Sendable, Hashable {
    /// The value of this field passes the test.
    case field(String, FilterTest)
    /// All filters pass. If there are none, every record passes.
    case and([RecordFilter])
    /// At least one filter passes.
    case or([RecordFilter])
    /// The filter does not pass.
    case not(RecordFilter)

    /// The filter that every record passes.
    static let all = RecordFilter.and([])

    /// Whether the filter is empty, so that every record passes.
    var passesAll: Bool {
        if case .and(let filters) = self { filters.isEmpty } else { false }
    }

    /// Whether `record` passes.
    ///
    /// - Throws: An error if `budget` does not allow the comparisons.
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

    /// The filters that must all pass, if this filter is a conjunction. Otherwise this filter alone.
    var conjuncts: [RecordFilter] {
        guard case .and(let filters) = self else { return [self] }
        return filters.flatMap(\.conjuncts)
    }

    /// The largest number of values that the filter compares with the values of a record.
    var testCount: Int {
        switch self {
        case .field(_, .isIn(let values)), .field(_, .notIn(let values)): values.count
        case .field: 1
        case .and(let filters), .or(let filters): filters.reduce(0) { $0 + $1.testCount }
        case .not(let filter): filter.testCount
        }
    }

    /// The names of the fields that the filter tests.
    var fields: Set<String> {
        switch self {
        case .field(let name, _): [name]
        case .and(let filters), .or(let filters): filters.reduce(into: []) { $0.formUnion($1.fields) }
        case .not(let filter): filter.fields
        }
    }
}

/// A test of one value: one operator of a filter.
enum FilterTest: Sendable, Hashable {
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
    /// There is a value, and it is equal to none of these.
    case notIn([FieldValue])

    /// Whether `value` passes.
    ///
    /// - Throws: An error if `budget` does not allow the comparisons.
    func holds(for value: FieldValue?, within budget: ComparisonBudget) throws(ResolverError) -> Bool {
        try budget.spend(value.map(comparedByteCount) ?? 0)
        return holds(for: value)
    }

    /// The largest number of bytes that a test of `value` compares.
    private func comparedByteCount(_ value: FieldValue) -> Int {
        switch self {
        case .compares(_, let other): Self.comparedByteCount(value, other)
        case .between(let low, let high):
            Self.comparedByteCount(value, low) + Self.comparedByteCount(value, high)
        case .beginsWith(let prefix): prefix.utf8.count
        // A search reads the whole text.
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
    /// Whether the value is a text that contains `part`, or a list with that element.
    fileprivate func has(_ part: FieldValue) -> Bool {
        if let elements { return elements.contains { $0 == part || ($0?.order(to: part)).map { $0 == 0 } ?? false } }
        guard var text, var part = part.text else { return false }
        return text.withUTF8 { text in
            part.withUTF8 { ByteSearch.contains(UnsafeRawBufferPointer(text), UnsafeRawBufferPointer($0)) }
        }
    }

    /// The number of a text's UTF-8 bytes or of a list's elements; `nil` for other values.
    fileprivate var size: Int64? {
        if let elements { return Int64(elements.count) }
        return text.map { Int64($0.utf8.count) }
    }

    /// The largest number of bytes that a comparison reads.
    fileprivate var byteCount: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .list(let elements): elements.reduce(0) { $0 + ($1?.byteCount ?? ComparisonBudget.leastByteCount) }
        default: ComparisonBudget.leastByteCount
        }
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
