@_spi(Adapters) internal import TidelogCore

/// Index keys of more than 511 bytes may be cut. Cutting must not change any result.
enum LongIndexKeyCases {
    private static let schema: Schema = {
        let fields = [
            FieldSchema("id", .id, isRequired: true), FieldSchema("text", .string), FieldSchema("other", .string),
            FieldSchema("rank", .int),
        ]
        return .plainAndIndexed(
            fields,
            by: ["byText": ["text"], "byTextOther": ["text", "other", "rank"], "byOtherText": ["other", "text"]])
    }()

    private static func long(_ length: Int, _ end: String = "") -> String {
        String(repeating: "x", count: length) + end
    }

    /// Texts around every length at which a key may be cut. They differ at the end or before the cut.
    ///
    /// Their keys are in the opposite order.
    private static let texts: [String] =
        ["", "x", "y", "w"]
        + [250, 251, 252, 253, 254, 255, 400, 505, 510, 511, 512, 2_000].flatMap {
            [long($0), long($0, "a"), long($0, "b"), long($0, "\u{0}"), long($0, "\u{10FFFF}")]
        } + [long(253) + "\u{0}" + long(300), long(200) + "\u{E9}" + long(400), long(200) + "y" + long(400)]

    private static func records(_ model: String) -> [Record] {
        texts.enumerated().map { rank, text in
            Record(
                model: model,
                values: [
                    "id": .string("k\(900 - rank)"), "text": .string(text),
                    "other": .string(rank % 3 == 0 ? long(300) : "o"),
                    "rank": .int(Int64(rank)),
                ])
        }
    }

    private static func makeCase(
        _ name: String, _ change: @escaping @Sendable (Subject) throws -> Void
    ) -> ConformanceCase {
        ConformanceCase("index-long-keys", "long index keys: \(name)", on: schema) { subject in
            try subject.save(records("Plain") + records("Indexed"))
            try change(subject)
            try subject.read { try compare($0) }
        }
    }

    private static let sorts: [Sort] = [
        .byKey, Sort([.init("text")]), Sort([.init("text", isDescending: true)]),
        Sort([.init("other"), .init("text")]), Sort([.init("text"), .init("other", isDescending: true)]),
    ]

    private static func compare(_ scope: ReadScope) throws {
        let all = try scope.records("Plain")
        let found = predicates.map { predicate in
            Set(all.filter { ReferenceEvaluator.evaluate(predicate, $0) }.map(\.id))
        }
        for sort in sorts {
            let sorted = all.sorted { ReferenceEvaluator.precedes($0, $1, sort) }.map(\.id)
            for (predicate, ids) in zip(predicates, found) {
                let expected = sorted.filter { ids.contains($0) }
                for page in [Page.all, Page(offset: 5, limit: 7)] {
                    try expect(
                        try scope.ids("Indexed", where: predicate, sort: sort, page: page),
                        Array(expected.dropFirst(page.offset).prefix(page.limit ?? .max)),
                        "where \(predicate.rendering.prefix(300)) sorted by \(sort.keys.map(\.field))")
                }
            }
        }
    }

    private static let predicates: [QueryPredicate] =
        [
            .all, .field("text", .beginsWith(long(200))), .field("text", .greater(.string(long(511)))),
            .field("text", .lessOrEqual(.string(long(254, "b")))), .field("other", .equal(.string(long(300)))),
            .field("other", .equal("o")) && .field("text", .greater(.string(long(400)))),
            .field("text", .between(.string(long(253)), .string(long(510, "a")))),
            .field("text", .beginsWith(long(511))),
        ]
        + [254, 255, 510, 512, 2_000].flatMap { length -> [QueryPredicate] in
            [
                .field("text", .equal(.string(long(length)))), .field("text", .equal(.string(long(length, "b")))),
                .field("text", .beginsWith(long(length, "a"))), .field("text", .less(.string(long(length, "\u{0}")))),
                .field("text", .equal(.string(long(length)))) && .field("other", .equal("o")),
            ]
        }

    static let all: [ConformanceCase] = [
        makeCase("values around the cut are found and ordered") { _ in },
        makeCase("deleted rows are not found") { subject in
            let gone = texts.indices.filter { $0 % 2 == 0 }.map { RecordID("k\(900 - $0)") }
            try subject.delete("Plain", gone)
            try subject.delete("Indexed", gone)
        },
        makeCase("changed rows are found by their new values only") { subject in
            for model in ["Plain", "Indexed"] {
                let turned = zip(records(model), records(model).reversed()).map { record, other in
                    var record = record
                    record["text"] = other["text"]
                    return record
                }
                try subject.save(turned)
            }
        },
        makeCase("rows with primary keys of 255 bytes stay apart") { subject in
            for model in ["Plain", "Indexed"] {
                try subject.save(
                    (0..<30).map { number in
                        Record(
                            model: model,
                            values: [
                                "id": .string(String(repeating: "k", count: 250) + "\(100 + number * 7 % 30)"),
                                "text": .string(long(150 + number * 20, "\(number % 3)")), "other": .string(long(300)),
                            ])
                    })
            }
        },
        makeCase("values that agree in their first 2,000 bytes stay apart") { subject in
            for model in ["Plain", "Indexed"] {
                try subject.save(
                    (0..<40).map { number in
                        Record(
                            model: model,
                            values: [
                                "id": .string("m\(100 + number * 17 % 40)"),
                                "text": .string(long(2_000, "\(number % 10)")), "other": "o",
                            ])
                    })
            }
        },
    ]
}
