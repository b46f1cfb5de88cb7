@_spi(Adapters) internal import TidelogCore

/// Comparisons of the primary key, and orders by it.
///
/// Keys sort IDs first by group (``IDKeyGroup``), so a range of texts is a range of keys only if all IDs are in one group. The
/// results must be the same in both cases.
enum KeyRangeCases {
    private static let schema = Schema(
        models: [
            ModelSchema(
                name: "Thing", fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("rank", .int)],
                indexes: [IndexSchema(name: "byRank", fields: ["rank"])]),
            ModelSchema(
                name: "Number", fields: [FieldSchema("id", .int, isRequired: true), FieldSchema("rank", .int)],
                primaryKey: ["id"]),
            ModelSchema(
                name: "Version",
                fields: [
                    FieldSchema("id", .id, isRequired: true), FieldSchema("rank", .int, isRequired: true),
                ], primaryKey: ["id", "rank"]),
        ])

    private static let texts = ["", "1", "10", "2", "9", "a", "a\u{0}", "a\u{0}b", "aa", "b", "k", "\u{E9}"]
    private static let uuids = [
        "00000000-0000-4000-8000-000000000000", "0f9a0000-0000-4000-8000-00000000000a",
        "0f9a0000-0000-4000-8000-00000000000b", "a0000000-0000-7000-8000-000000000000",
        "abcdefab-cdef-4abc-8def-abcdefabcdef", "ffffffff-ffff-4fff-8fff-ffffffffffff",
    ]
    private static let uppercaseUUIDs = uuids.map { $0.uppercased() }.filter { $0 != $0.lowercased() }
    /// The values with which ids are compared: the ids, and texts that sort before, between and after them.
    private static let constants =
        texts + uuids + uppercaseUUIDs + [
            "0", "0f", "0f9A", "0f9a0000", "0f9a0000-", "0f9a0000-0000-4000-8000-00000000000", "f", "F", "g", "A", "z",
            "ffffffff-ffff-4fff-8fff-ffffffffffff0", "0f9a0000+", "0f9a0000_", "a0000000-0000-7000-8000-00000000000g",
            "ffffffff-ffff-4fff-8fff-fffffffffffg", "\u{10FFFF}", "-", "0f9a0000-0000-4000-8000-00000000000\u{0}",
        ]

    private static func ranges(_ value: FieldValue) -> [QueryPredicate.Comparison] {
        [.less(value), .lessOrEqual(value), .greater(value), .greaterOrEqual(value), .equal(value)]
    }

    private static func comparisons(_ text: String) -> [QueryPredicate.Comparison] {
        ranges(.string(text)) + [
            .beginsWith(text), .endsWith(text), .between("0f", .string(text)), .between(.string(text), "a"),
        ]
    }

    /// A case that compares the `ids` of a model with every constant, and sorts by them.
    private static func makeCase(_ name: String, _ model: String, _ ids: [String]) -> ConformanceCase {
        ConformanceCase("key-range", "key ranges: \(name)", on: schema) { subject in
            let records = ids.enumerated().map { rank, id in
                Record(model: model, values: ["id": .string(id), "rank": .int(Int64(rank % 3))])
            }
            try subject.save(records)
            try subject.readBoth { scope in
                for constant in constants {
                    for comparison in comparisons(constant) {
                        try check(scope, model, .field("id", comparison), among: records)
                    }
                }
                try check(scope, model, .field("id", .greater("0f")) && .field("id", .less("a1")), among: records)
                try check(scope, model, .field("id", .greater("9")) && .field("rank", .equal(1)), among: records)
                try check(scope, model, .or([.field("id", .less("1")), .field("id", .greater("a"))]), among: records)
            }
        }
    }

    /// Queries the records that match `predicate`, sorted by id in both directions, as a whole and in pages.
    private static func check(
        _ scope: ReadScope, _ model: String, _ predicate: QueryPredicate, among records: [Record]
    ) throws {
        let matches = records.filter { ReferenceEvaluator.evaluate(predicate, $0) }
        try expect(
            try scope.count(model, where: predicate), matches.count, "How many \(model) where \(predicate.rendering).")
        for isDescending in [false, true] {
            let sort = Sort([.init("id", isDescending: isDescending)])
            let sorted = matches.sorted { ReferenceEvaluator.precedes($0, $1, sort) }.map { $0["id"]?.rendering }
            for page in [Page.all, Page(offset: 1, limit: 2), .first(1)] {
                let expected = sorted.dropFirst(page.offset).prefix(page.limit ?? .max).map { $0 ?? "" }
                let found = try scope.records(model, where: predicate, sort: sort, page: page)
                try expect(
                    found.map { $0["id"]?.rendering ?? "" }, expected,
                    "\(model) where \(predicate.rendering), by id\(isDescending ? " descending" : "").")
            }
        }
    }

    private static let numbers: [Int64] = [.min, -7, -1, 0, 1, 2, 10, .max]

    static let all: [ConformanceCase] = [
        makeCase("texts", "Thing", texts), makeCase("UUIDs in lower case", "Thing", uuids),
        makeCase("UUIDs in upper case", "Thing", uppercaseUUIDs),
        makeCase("texts and UUIDs of both cases", "Thing", texts + uuids + uppercaseUUIDs),
        makeCase("one id", "Thing", ["a"]), makeCase("no id", "Thing", []),
        makeCase("ids that are the first of several key fields", "Version", uuids),
        ConformanceCase("key-range", "key ranges: numbers", on: schema) { subject in
            let records = numbers.map { Record(model: "Number", values: ["id": .int($0), "rank": .int($0 & 1)]) }
            try subject.save(records)
            try subject.readBoth { scope in
                for constant in numbers + [5] {
                    for comparison in ranges(.int(constant)) {
                        try check(scope, "Number", .field("id", comparison), among: records)
                    }
                }
            }
        },
    ]
}
