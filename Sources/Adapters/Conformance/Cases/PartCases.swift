@_spi(Adapters) internal import TidelogCore

/// Predicates on a part of a value: the size of a text or list, and the text of a date or time.
enum PartCases {
    private static let schema = Schema(
        models: [
            ModelSchema(
                name: "Entry",
                fields: [
                    FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string),
                    FieldSchema("tags", .list(.string, elementIsRequired: false)),
                    FieldSchema("day", .date), FieldSchema("clock", .time), FieldSchema("moment", .dateTime),
                    FieldSchema("rank", .int),
                ],
                indexes: [
                    IndexSchema(name: "byTitle", fields: ["title"]), IndexSchema(name: "byDay", fields: ["day"]),
                    IndexSchema(name: "byRank", fields: ["rank"]),
                ])
        ])

    private static let entries: [[String: FieldValue]] = [
        [
            "title": "abc", "tags": .list(["a", nil]), "day": "2026-11-21", "clock": "10:30",
            "moment": "2026-11-21T10:30:00Z",
        ],
        // An accented letter and an emoji have two and four bytes.
        [
            "title": "\u{E9}\u{1F600}", "tags": .list([]), "day": "2026-11-21Z", "clock": "10:30:00.5Z",
            "moment": "2026-11-21T11:30:00+01:00",
        ],
        ["title": "", "tags": .list(["a", "b", "c"]), "day": "2025-01-01+02:00"], [:],
    ]

    private static func part(
        _ field: String, _ name: String, _ comparison: QueryPredicate.Comparison
    ) -> QueryPredicate {
        .related(field, .field(name, comparison))
    }

    private static let expected: [(QueryPredicate, [Int])] = [
        (part("title", "size", .equal(3)), [0]), (part("title", "size", .equal(6)), [1]),
        (part("title", "size", .notEqual(3)), [1, 2]), (part("title", "size", .less(1)), [2]),
        (part("title", "size", .greaterOrEqual(3)), [0, 1]), (part("title", "size", .between(1, 5)), [0]),
        (part("id", "size", .equal(1)), [0, 1, 2, 3]),
        (part("tags", "size", .equal(2)), [0]), (part("tags", "size", .equal(0)), [1]),
        (part("tags", "size", .greater(0)), [0, 2]), (part("tags", "size", .lessOrEqual(.int(.max))), [0, 1, 2]),
        (part("day", "size", .equal(10)), [0]), (part("day", "size", .greater(10)), [1, 2]),
        (part("clock", "size", .less(6)), [0]), (part("moment", "size", .equal(25)), [1]),
        (part("day", "text", .equal("2026-11-21")), [0]), (part("day", "text", .beginsWith("2026")), [0, 1]),
        (part("day", "text", .less("2026")), [2]), (part("day", "text", .notEqual("2026-11-21")), [1, 2]),
        (part("clock", "text", .contains(".5")), [1]), (part("clock", "text", .notContains(".5")), [0]),
        (part("moment", "text", .endsWith("Z")), [0]), (part("moment", "text", .ignoringCase(.endsWith, "z")), [0]),
        (part("moment", "text", .between("2026-11-21T11", "2026-12")), [1]),
        // Both name the same instant.
        (.field("moment", .equal("2026-11-21T10:30:00Z")), [0, 1]),
        (part("moment", "text", .greater("2026-11-21T10:30:00Z")) && .field("rank", .greater(0)), [1]),
    ]

    static let all: [ConformanceCase] = [
        ConformanceCase("part", "parts: predicates compare sizes of values and texts of dates and times", on: schema) {
            subject in
            try subject.save(
                entries.enumerated().map { index, values in
                    var values = values
                    values["id"] = .string("\(index)")
                    values["rank"] = .int(Int64(index))
                    return Record(model: "Entry", values: values)
                })
            try subject.readBoth { scope in
                for (predicate, indices) in expected {
                    try scope.expectIDs(predicate, on: "Entry", gives: indices.map { "\($0)" })
                    let others = entries.indices.filter { !indices.contains($0) }
                    try scope.expectIDs(.not(predicate), on: "Entry", gives: others.map { "\($0)" })
                    let part = indices.reversed().dropFirst().prefix(1).map { "\($0)" }
                    try expect(
                        try scope.ids(
                            "Entry", where: predicate, sort: Sort([.init("rank", isDescending: true)]),
                            page: Page(offset: 1, limit: 1)),
                        part, "A page where \(predicate.rendering).")
                }
            }
        }
    ]
}
