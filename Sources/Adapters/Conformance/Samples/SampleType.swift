@_spi(Adapters) internal import TidelogCore

/// A field type with values in an order that was written by hand, so that no tested code defines the expected order.
struct SampleType: Sendable {
    /// The type's name in the schema language.
    let name: String
    /// The name of the rule that defines how values of this type compare.
    let rule: String
    let type: FieldType
    /// The values in ascending order. The values in one class are equal.
    let classes: [[FieldValue]]

    /// One value of each class, in ascending order.
    var values: [FieldValue] { classes.compactMap(\.first) }

    static let all = [id, string, int, double, bool, status, date, time, dateTime, timestamp]

    static let string = SampleType(
        name: "String", rule: "text-order", type: .string,
        classes: [
            "", "\u{0}", "\u{0}\u{0}", "\u{0}a", "\u{1}", " ", "\"", "%", "'", "*", "10", "9", "A", "B", "Z", "[", "\\",
            "_", "a", "a\u{0}", "a\u{0}b", "a ", "aa", "ab", "b", "ea", "e\u{301}", "z", "\u{7F}", "\u{E9}", "\u{7FF}",
            "\u{800}", "\u{E000}", "\u{FFFD}", "\u{1F600}", "\u{1F600}!", "\u{10FFFF}",
        ].map { [.string($0)] })

    static let id = SampleType(
        name: "ID", rule: "text-order", type: .id,
        classes: [
            "", "00000000-0000-0000-0000-000000000000", "0000000a", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8",
            "6BA7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
            "6ba7b810-9dad-11d1-80b4-00c04fd430c9", "6ba7b810x9dad", "Z", "a", "\u{E9}", "\u{FFFD}", "\u{1F600}",
        ].map { [.string($0)] })

    static let int = SampleType(
        name: "Int", rule: "int-order", type: .int,
        classes: [
            .min, .min + 1, -9_007_199_254_740_993, -9_007_199_254_740_992, -4_294_967_296, -257, -256, -255, -2, -1, 0,
            1, 2, 127, 128, 255, 256, 2_147_483_648, 9_007_199_254_740_992, 9_007_199_254_740_993, .max - 1, .max,
        ].map { [.int($0)] })

    static let double = SampleType(
        name: "Float", rule: "float-order", type: .double,
        classes: [
            [.double(-.greatestFiniteMagnitude)], [.double(-1e10)], [.double(-2.5)], [.double(-1)], [.double(-0.5)],
            [.double(-.leastNormalMagnitude)], [.double(-.leastNonzeroMagnitude)], [.double(0), .double(-0.0)],
            [.double(.leastNonzeroMagnitude)], [.double(.leastNormalMagnitude)], [.double(0.1)], [.double(0.5)],
            [.double(1)], [.double(1.000_000_000_000_000_2)], [.double(2.5)], [.double(10)],
            [.double(9_007_199_254_740_992)], [.double(0x1p63)], [.double(1e300)],
            [.double(.greatestFiniteMagnitude)],
        ])

    static let bool = SampleType(
        name: "Boolean", rule: "bool-order", type: .bool, classes: [[.bool(false)], [.bool(true)]])

    /// The cases are declared in a different order than the order of their raw texts.
    static let statusEnum = EnumSchema(name: "Status", cases: ["b9", "active", "ACTIVE", "_x", "Active", "b10"])

    static let status = SampleType(
        name: "enum", rule: "enum-order", type: .enumeration("Status"),
        classes: ["ACTIVE", "Active", "_x", "active", "b10", "b9"].map { [.string($0)] })

    static let timestamp = SampleType(
        name: "AWSTimestamp", rule: "int-order", type: .timestamp,
        classes: [.min, -86_400, -1, 0, 1, 1_700_000_000, .max].map { [.int($0)] })
}

extension SampleType {
    static let date = SampleType(
        name: "AWSDate", rule: "temporal-order", type: .date,
        classes: temporals([
            ["0000-01-01"], ["1969-12-31"], ["1970-01-01+02:00"],
            ["1970-01-01", "1970-01-01Z", "1970-01-01+00:00", "1970-01-01-00:00"], ["1970-01-01-02:00"],
            ["1970-01-02+02:00"], ["1970-01-02"], ["2023-12-31-18:00", "2023-12-31-1800"], ["2024-02-29"],
            ["9999-12-31"],
        ]) { .date(try Temporal.Date($0)) })

    static let time = SampleType(
        name: "AWSTime", rule: "temporal-order", type: .time,
        classes: temporals([
            ["00:00:00+02:00"], ["00:00", "00:00:00", "00:00:00Z", "00:00:00.000", "02:00:00+02:00"],
            ["00:00:00.000000001"], ["00:00:00.1", "00:00:00.100"], ["00:00:01"],
            ["10:30", "10:30:00", "12:30+02:00", "05:30-05:00"], ["10:30:00.25", "10:30:00.250Z"], ["10:30:00.5"],
            ["23:59:59.999999999"], ["23:00-03:00"],
        ]) { .time(try Temporal.Time($0)) })

    static let dateTime = SampleType(
        name: "AWSDateTime", rule: "temporal-order", type: .dateTime,
        classes: temporals([
            ["0000-01-01T00:00Z"], ["1969-12-31T23:59:59Z"], ["1969-12-31T23:59:59.999999999Z"],
            ["1970-01-01T00:00:00Z", "1970-01-01T02:00:00+02:00", "1970-01-01T00:00", "1969-12-31T19:00:00-05:00"],
            ["1970-01-01T00:00:00.000000001Z"], ["1970-01-01T00:00:00.1Z", "1970-01-01T00:00:00.100Z"],
            ["2026-11-21T10:30:00Z", "2026-11-21T12:30:00+02:00", "2026-11-21T10:30:00.000Z"],
            ["2026-11-21T10:30:00.001Z"], ["2026-11-21T10:30:00-01:00"], ["9999-12-31T23:59:59.999Z"],
        ]) { .dateTime(try Temporal.DateTime($0)) })

    /// The temporals of `texts`, which are valid.
    private static func temporals(_ texts: [[String]], _ parse: (String) throws -> FieldValue) -> [[FieldValue]] {
        texts.map { texts in
            texts.map { text in
                do { return try parse(text) } catch { preconditionFailure("\(text): \(error)") }
            }
        }
    }
}
