@_spi(Adapters) internal import TidelogCore

/// Combinations of predicates. Logic has two values, also if values are missing.
enum LogicCases {
    private static let schema = Schema.plainAndIndexed(fields, by: ["byA": ["a"], "byBA": ["b", "a"]])

    private static let fields = [
        FieldSchema("id", .id, isRequired: true), FieldSchema("a", .int), FieldSchema("b", .int),
        FieldSchema("text", .string),
    ]

    /// Records with every combination of `a` and `b` being 1, 2 or missing. The id contains both values, with `_` for missing.
    private static func table(_ model: String) -> [Record] {
        ["11", "12", "1_", "21", "22", "2_", "_1", "_2", "__"].map { id in
            var record = Record(model: model, values: ["id": .string(id), "text": .string("t\(id)")])
            record["a"] = Int64(id.prefix(1)).map { .int($0) }
            record["b"] = Int64(id.suffix(1)).map { .int($0) }
            return record
        }
    }

    private static let a1 = QueryPredicate.field("a", .equal(1))
    private static let a2 = QueryPredicate.field("a", .equal(2))
    private static let b1 = QueryPredicate.field("b", .equal(1))
    private static let b2 = QueryPredicate.field("b", .equal(2))
    private static let everyID = ["11", "12", "1_", "21", "22", "2_", "_1", "_2", "__"]

    private static func makeCase(
        _ rule: String, _ name: String, _ predicate: QueryPredicate, finds expected: [String]
    ) -> ConformanceCase {
        ConformanceCase(rule, "logic: \(name)", on: schema) { subject in
            try subject.save(table("Plain") + table("Indexed"))
            try subject.read { scope in
                try scope.expectIDs(predicate, on: "Plain", gives: expected.sorted())
                try scope.expectIDs(predicate, on: "Indexed", gives: expected.sorted())
            }
        }
    }

    private static func without(_ ids: [String]) -> [String] { everyID.filter { !ids.contains($0) } }

    static let all: [ConformanceCase] = [
        makeCase("empty-group", "all is every record", .all, finds: everyID),
        makeCase("empty-group", "an empty and is true", .and([]), finds: everyID),
        makeCase("empty-group", "an empty or is false", .or([]), finds: []),
        makeCase("empty-group", "the negation of an empty and is false", .not(.and([])), finds: []),
        makeCase("empty-group", "the negation of an empty or is true", .not(.or([])), finds: everyID),
        makeCase("empty-group", "the negation of all is nothing", .not(.all), finds: []),
        makeCase(
            "empty-group", "an empty and changes nothing in a conjunction", .and([a1, .and([])]),
            finds: ["11", "12", "1_"]),
        makeCase("empty-group", "an empty or makes a conjunction false", .and([a1, .or([])]), finds: []),
        makeCase("empty-group", "an empty and makes a disjunction true", .or([a1, .and([])]), finds: everyID),
        makeCase("empty-group", "all inside a disjunction makes it true", .or([a1, .all]), finds: everyID),
        makeCase("group", "and of one member is that member", .and([a1]), finds: ["11", "12", "1_"]),
        makeCase("group", "or of one member is that member", .or([a1]), finds: ["11", "12", "1_"]),
        makeCase("group", "and holds where both members hold", a1 && b2, finds: ["12"]),
        makeCase("group", "or holds where one member holds", .or([a1, b1]), finds: ["11", "12", "1_", "21", "_1"]),
        makeCase("group", "a contradiction finds nothing", a1 && a2, finds: []),
        makeCase(
            "group", "an or inside an and", .and([.or([a1, a2]), .or([b1, b2])]), finds: ["11", "12", "21", "22"]),
        makeCase("group", "an and inside an or", .or([.and([a1, b2]), .and([a2, b1])]), finds: ["12", "21"]),
        makeCase(
            "group", "groups nested three deep", .or([.and([a1, .or([b1, b2])]), .and([a2, b2])]),
            finds: ["11", "12", "22"]),
        makeCase(
            "not", "not takes all remaining values and the missing ones", !a1,
            finds: ["21", "22", "2_", "__", "_1", "_2"]),
        makeCase("not", "two nots cancel out", !(!a1), finds: ["11", "12", "1_"]),
        makeCase("not", "three nots are one", !(!(!a1)), finds: ["21", "22", "2_", "__", "_1", "_2"]),
        makeCase("not", "not of an and", .not(.and([a1, b1])), finds: without(["11"])),
        makeCase("not", "not of an or", .not(.or([a1, b1])), finds: ["22", "2_", "__", "_2"]),
        makeCase("not", "not inside an and", a1 && !b1, finds: ["12", "1_"]),
        makeCase("not", "not inside an or", .or([a1, !b1]), finds: ["11", "12", "1_", "22", "2_", "__", "_2"]),
        makeCase(
            "not", "not of a nested group inside a group", .and([.not(.or([a2, b2])), .not(.and([a1, b1]))]),
            finds: ["1_", "__", "_1"]),
        makeCase("not", "not of a group with a not in it", .not(.and([a1, .not(b1)])), finds: without(["12", "1_"])),
        makeCase(
            "two-valued-logic", "a comparison and its negation are never both false for a missing value",
            .or([.field("a", .less(2)), .not(.field("a", .less(2)))]), finds: everyID),
        makeCase(
            "two-valued-logic", "a comparison and its opposite are both false for a missing value",
            .or([.field("a", .less(2)), .field("a", .greaterOrEqual(2))]), finds: without(["__", "_1", "_2"])),
        makeCase(
            "two-valued-logic", "not of a conjunction with a missing value is true", .not(.and([a1, b1])),
            finds: without(["11"])),
        makeCase(
            "two-valued-logic", "!= inside a conjunction finds missing values", .and([.field("a", .notEqual(1)), b1]),
            finds: ["21", "_1"]),
        makeCase(
            "two-valued-logic", "!= of each of two values is true for missing ones",
            .and([.field("a", .notEqual(1)), .field("a", .notEqual(2))]), finds: ["__", "_1", "_2"]),
        makeCase(
            "missing-comparison", "missing fields combine", .and([.field("a", .equal(nil)), .field("b", .equal(nil))]),
            finds: ["__"]),
        makeCase(
            "missing-comparison", "present or missing is everything",
            .or([.field("a", .equal(nil)), .field("a", .notEqual(nil))]), finds: everyID),
        makeCase(
            "missing-comparison", "the negation of missing is present", .not(.field("a", .equal(nil))),
            finds: ["11", "12", "1_", "21", "22", "2_"]),
        makeCase("group", "the same comparison twice", .and([a1, a1]), finds: ["11", "12", "1_"]),
        makeCase(
            "group", "a disjunction of 200 members", .or((0..<200).map { .field("a", .equal(.int($0 * 3 + 2))) }),
            finds: ["21", "22", "2_"]),
        makeCase(
            "group", "a conjunction of 200 members",
            .and((0..<200).map { .field("a", .notEqual(.int($0 + 2))) } + [b1]), finds: ["11", "_1"]),
        makeCase("not", "a hundred nots are none", nested(100) { .not($0) }, finds: ["11", "12", "1_"]),
        makeCase(
            "group", "groups nested a hundred deep", nested(50) { .or([a2, .and([$0])]) },
            finds: without(["__", "_1", "_2"])),
        makeCase(
            "group", "the primary key in a predicate",
            .or([.field("id", .equal("12")), .field("id", .beginsWith("_"))]),
            finds: ["12", "__", "_1", "_2"]),
        makeCase(
            "group", "a range of the primary key", .field("id", .between("12", "21")), finds: ["12", "1_", "21"]),
        makeCase(
            "group", "fields of two types together", .and([.field("text", .beginsWith("t1")), b2]), finds: ["12"]),
    ]

    private static func nested(_ depth: Int, _ wrap: (QueryPredicate) -> QueryPredicate) -> QueryPredicate {
        (0..<depth).reduce(a1) { predicate, _ in wrap(predicate) }
    }
}
