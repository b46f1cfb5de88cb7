@_spi(Adapters) internal import TidelogCore

/// Whole and floating-point numbers are compared exactly, also with each other.
enum NumberCases {
    private static func schema(_ type: FieldType) -> Schema {
        let fields = [FieldSchema("id", .id, isRequired: true), FieldSchema("n", type)]
        return .plainAndIndexed(fields, by: ["byN": ["n"]])
    }

    private static func makeCase(
        _ rule: String, _ name: String, of type: FieldType, values: [FieldValue],
        finds expected: [(QueryPredicate.Comparison, [Int])]
    ) -> ConformanceCase {
        ConformanceCase(rule, "numbers: \(name)", on: schema(type), field: "n", values: values, finds: expected)
    }

    /// 2^53, the last whole number before Floats cannot represent all whole numbers.
    private static let edge: Int64 = 9_007_199_254_740_992

    static let all: [ConformanceCase] = [
        makeCase(
            "int-double-exact", "an Int equals a Float only where both are the same number", of: .int,
            values: [.int(edge - 1), .int(edge), .int(edge + 1), .int(edge + 2)],
            finds: [
                (.equal(.double(0x1p53)), [1]), (.equal(.double(0x1p53 + 2)), [3]),
                (.notEqual(.double(0x1p53)), [0, 2, 3]),
            ]),
        makeCase(
            "int-double-exact", "an Int orders exactly against a Float beyond 2^53", of: .int,
            values: [.int(edge - 1), .int(edge), .int(edge + 1), .int(edge + 2)],
            finds: [
                (.greater(.double(0x1p53)), [2, 3]), (.less(.double(0x1p53 + 2)), [0, 1, 2]),
                (.lessOrEqual(.double(0x1p53)), [0, 1]), (.greaterOrEqual(.double(0x1p53 + 2)), [3]),
            ]),
        makeCase(
            "int-double-exact", "an Int orders against a fraction", of: .int,
            values: [.int(-2), .int(-1), .int(0), .int(1), .int(2)],
            finds: [
                (.greater(.double(0.5)), [3, 4]), (.less(.double(0.5)), [0, 1, 2]),
                (.greater(.double(-0.5)), [2, 3, 4]), (.less(.double(-0.5)), [0, 1]),
                (.greaterOrEqual(.double(-1.5)), [1, 2, 3, 4]), (.lessOrEqual(.double(-1.5)), [0]),
                (.equal(.double(0.5)), []), (.between(.double(-1.5), .double(1.5)), [1, 2, 3]),
            ]),
        makeCase(
            "int-double-exact", "the largest Int is less than 2^63 as a Float", of: .int,
            values: [.int(.max), .int(.max - 1), .int(0)],
            finds: [
                (.less(.double(0x1p63)), [0, 1, 2]), (.equal(.double(0x1p63)), []),
                (.greaterOrEqual(.double(0x1p63)), []), (.lessOrEqual(.double(1e300)), [0, 1, 2]),
                (.greater(.double(0x1p63 - 1024)), [0, 1]),
            ]),
        makeCase(
            "int-double-exact", "the smallest Int equals -2^63 as a Float", of: .int,
            values: [.int(.min), .int(.min + 1), .int(0)],
            finds: [
                (.equal(.double(-0x1p63)), [0]), (.greater(.double(-0x1p63)), [1, 2]),
                (.lessOrEqual(.double(-0x1p63)), [0]), (.less(.double(-1e300)), []),
                (.greater(.double(-1e300)), [0, 1, 2]),
            ]),
        makeCase(
            "int-double-exact", "bounds of an Int may be of both kinds", of: .int,
            values: [.int(1), .int(2), .int(3), .int(4)],
            finds: [(.between(.int(2), .double(3.5)), [1, 2]), (.between(.double(1.5), .int(3)), [1, 2])]),
        makeCase(
            "int-double-exact", "a Float equals an Int only where both are the same number", of: .double,
            values: [.double(0x1p53), .double(0x1p53 + 2), .double(0.5), .double(1)],
            finds: [
                (.equal(.int(edge)), [0]), (.equal(.int(edge + 1)), []), (.equal(.int(edge + 2)), [1]),
                (.equal(.int(1)), [3]), (.equal(.int(0)), []),
            ]),
        makeCase(
            "int-double-exact", "a Float orders exactly against an Int beyond 2^53", of: .double,
            values: [.double(0x1p53 - 1), .double(0x1p53), .double(0x1p53 + 2)],
            finds: [
                (.less(.int(edge + 1)), [0, 1]), (.greater(.int(edge + 1)), [2]),
                (.lessOrEqual(.int(edge)), [0, 1]), (.greaterOrEqual(.int(edge + 1)), [2]),
                (.between(.int(edge), .int(edge + 1)), [1]),
            ]),
        makeCase(
            "int-double-exact", "a Float of 2^63 is more than the largest Int", of: .double,
            values: [.double(0x1p63), .double(0x1p63 - 1024), .double(-0x1p63), .double(-1e300), .double(1e300)],
            finds: [
                (.greater(.int(.max)), [0, 4]), (.equal(.int(.max)), []), (.less(.int(.max)), [1, 2, 3]),
                (.equal(.int(.min)), [2]), (.less(.int(.min)), [3]), (.greaterOrEqual(.int(.min)), [0, 1, 2, 4]),
            ]),
        makeCase(
            "int-double-exact", "a fraction orders against an Int", of: .double,
            values: [.double(-0.5), .double(0), .double(0.5), .double(1)],
            finds: [(.less(.int(0)), [0]), (.greater(.int(0)), [2, 3]), (.lessOrEqual(.int(0)), [0, 1])]),
        makeCase(
            "negative-zero", "-0 is stored as 0 and found as either", of: .double,
            values: [.double(-0.0), .double(0), .double(1)],
            finds: [
                (.equal(.double(0)), [0, 1]), (.equal(.double(-0.0)), [0, 1]), (.equal(.int(0)), [0, 1]),
                (.notEqual(.double(-0.0)), [2]),
            ]),
        makeCase(
            "negative-zero", "nothing lies between -0 and 0", of: .double,
            values: [.double(-.leastNonzeroMagnitude), .double(-0.0), .double(0), .double(.leastNonzeroMagnitude)],
            finds: [
                (.less(.double(0)), [0]), (.less(.double(-0.0)), [0]), (.greater(.double(-0.0)), [3]),
                (.greater(.double(0)), [3]), (.lessOrEqual(.double(-0.0)), [0, 1, 2]),
                (.greaterOrEqual(.double(0)), [1, 2, 3]), (.between(.double(0), .double(-0.0)), [1, 2]),
            ]),
        makeCase(
            "negative-zero", "an Int of 0 equals -0", of: .int, values: [.int(-1), .int(0), .int(1)],
            finds: [(.equal(.double(-0.0)), [1]), (.less(.double(-0.0)), [0]), (.greater(.double(-0.0)), [2])]),
        makeCase(
            "int-double-exact", "a timestamp compares with a Float", of: .timestamp,
            values: [.int(-1), .int(0), .int(1)],
            finds: [(.greater(.double(-0.5)), [1, 2]), (.equal(.double(1)), [2])]),
        makeCase(
            "int-order", "Ints differ in the last bit", of: .int,
            values: [.int(.max), .int(.max - 1), .int(edge), .int(edge + 1)],
            finds: [
                (.equal(.int(.max)), [0]), (.equal(.int(.max - 1)), [1]), (.equal(.int(edge + 1)), [3]),
                (.greater(.int(edge)), [0, 1, 3]),
            ]),
        makeCase(
            "float-order", "Floats are not rounded", of: .double,
            values: [.double(0.1), .double(0.1 + 0.2), .double(0.3)],
            finds: [(.equal(.double(0.3)), [2]), (.greater(.double(0.3)), [1]), (.equal(.double(0.1)), [0])]),
    ]
}
