@_spi(Adapters) internal import TidelogCore

/// Orders are total: records are sorted by fields, with missing values first, and then always by key.
enum SortCases {
    static let all: [ConformanceCase] = SampleType.all.flatMap { [sorted($0), paged($0)] } + several

    private static func sorted(_ sample: SampleType) -> ConformanceCase {
        ConformanceCase(
            sample.rule, "sorting: \(sample.name) ascends with the missing first and descends the other way",
            with: sample
        ) { subject, table in
            try subject.readBoth { scope in
                for model in SampleTable.models {
                    for descends in [false, true] {
                        try expect(
                            try scope.ids(model, sort: Sort([.init("value", isDescending: descends)])),
                            order(table, descends: descends), "\(model) by value, \(descends ? "de" : "a")scending")
                    }
                }
            }
        }
    }

    /// All pages of an order together are the whole result, also with a filter.
    private static func paged(_ sample: SampleType) -> ConformanceCase {
        ConformanceCase(
            "stable-pages", "sorting: pages of an order by \(sample.name) put together are the whole",
            with: sample
        ) { subject, table in
            try subject.read { scope in
                for model in SampleTable.models {
                    for descends in [false, true] {
                        let sort = Sort([.init("even", isDescending: descends), .init("value", isDescending: descends)])
                        let whole = try scope.ids(model, sort: sort)
                        for limit in [1, 2, 3, 7] {
                            try expect(
                                try pages(limit: limit) { try scope.ids(model, sort: sort, page: $0) }, whole,
                                "\(model) in pages of \(limit)")
                        }
                    }
                }
            }
        }
    }

    static func pages(limit: Int, _ fetch: (Page) throws -> [String]) throws -> [String] {
        var all: [String] = []
        for number in 0... {
            let page = try fetch(.page(number, limit: limit))
            all += page
            if page.count < limit { break }
        }
        return all
    }

    private static func order(_ table: SampleTable, descends: Bool) -> [String] {
        table.members.sorted { left, right in
            let leftRank = left.rank ?? -1
            let rightRank = right.rank ?? -1
            if leftRank != rightRank { return descends ? leftRank > rightRank : leftRank < rightRank }
            return left.id < right.id
        }.map(\.id)
    }

    private static let schema: Schema = {
        let fields = [
            FieldSchema("id", .id, isRequired: true), FieldSchema("a", .int), FieldSchema("b", .string),
            FieldSchema("c", .double),
        ]
        return .plainAndIndexed(fields, by: ["byA": ["a"], "byAB": ["a", "b"], "byBAC": ["b", "a", "c"]])
    }()

    /// 3 × 3 × 3 records, some with missing values. The order of the keys is opposite to the order of `c`.
    private static func records(_ model: String) -> [Record] {
        var records: [Record] = []
        for a in [nil, 1, 2] as [Int64?] {
            for b in [nil, "x", "y"] as [String?] {
                for c in 0..<3 {
                    let id = "\(9 - c)\(b ?? "-")\(a.map { "\($0)" } ?? "-")"
                    var record = Record(model: model, values: ["id": .string(id), "c": .double(Double(c / 2))])
                    record["a"] = a.map { .int($0) }
                    record["b"] = b.map { .string($0) }
                    records.append(record)
                }
            }
        }
        return records
    }

    private static func makeCase(
        rule: String = "sort-total-order", _ name: String, _ keys: [Sort.Key], where predicate: QueryPredicate = .all
    ) -> ConformanceCase {
        ConformanceCase(rule, "sorting: \(name)", on: schema) { subject in
            try subject.save(records("Plain") + records("Indexed"))
            try subject.readBoth { scope in
                for model in ["Plain", "Indexed"] {
                    let found = try scope.records(model, where: predicate, sort: Sort(keys))
                    let expected = records(model).filter { ReferenceEvaluator.evaluate(predicate, $0) }.sorted {
                        ReferenceEvaluator.precedes($0, $1, Sort(keys))
                    }
                    try expect(found.map(\.id), expected.map(\.id), "\(model): \(name)")
                }
            }
        }
    }

    private static let several: [ConformanceCase] = [
        makeCase(rule: "missing-first", "missing values come first", [.init("a")]),
        makeCase(
            rule: "missing-first", "missing values come last where the order descends", [.init("a", isDescending: true)]
        ),
        makeCase("by two fields", [.init("a"), .init("b")]),
        makeCase("by two fields, both descending", [.init("a", isDescending: true), .init("b", isDescending: true)]),
        makeCase("by two fields, the first descending", [.init("a", isDescending: true), .init("b")]),
        makeCase("by two fields, the second descending", [.init("a"), .init("b", isDescending: true)]),
        makeCase("by three fields", [.init("b"), .init("a"), .init("c")]),
        makeCase("by three fields, the last descending", [.init("b"), .init("a"), .init("c", isDescending: true)]),
        makeCase("by the key ascending", [.init("id")]),
        makeCase("by the key descending", [.init("id", isDescending: true)]),
        makeCase("by a field and the key descending", [.init("a"), .init("id", isDescending: true)]),
        makeCase("by the same field twice", [.init("a"), .init("a", isDescending: true)]),
        makeCase("equal values in the order of their keys", [.init("c")]),
        makeCase("equal values in the order of their keys, also descending", [.init("c", isDescending: true)]),
        makeCase("by a field that a predicate fixes", [.init("a"), .init("b")], where: .field("a", .equal(1))),
        makeCase(
            "by a field after one that a predicate fixes", [.init("b", isDescending: true)],
            where: .field("a", .equal(1))),
        makeCase("by one field with a range of another", [.init("b")], where: .field("a", .greaterOrEqual(1))),
        makeCase(
            "by a field within its range, descending", [.init("a", isDescending: true)],
            where: .field("a", .between(1, 2))),
        makeCase("by a field that is missing everywhere", [.init("a")], where: .field("a", .equal(nil))),
        makeCase(
            "by a field with a disjunction", [.init("a"), .init("c")],
            where: .or([.field("b", .equal("x")), .field("a", .equal(nil))])),
    ]
}
