@_spi(Adapters) internal import TidelogCore

/// An index changes how a query is executed, but never its result.
enum IndexCases {
    private static let fields = [
        FieldSchema("id", .id, isRequired: true), FieldSchema("a", .int), FieldSchema("b", .string),
        FieldSchema("c", .double), FieldSchema("day", .date), FieldSchema("flag", .bool),
    ]

    static let schema = Schema.plainAndIndexed(
        fields,
        by: [
            "byA": ["a"], "byB": ["b"], "byABC": ["a", "b", "c"], "byFlagDay": ["flag", "day"], "byCB": ["c", "b"],
            "byId": ["b", "id"],
        ])

    /// Makes `count` records whose values repeat. Some values are missing.
    static func records(_ model: String, _ count: Int, shift: Int = 0) -> [Record] {
        (0..<count).map { number in
            let value = number + shift
            var record = Record(model: model, values: ["id": .string("k\(number + 1_000)")])
            if value % 5 != 0 { record["a"] = .int(Int64(value % 5 - 2)) }
            if value % 7 != 0 { record["b"] = .string(["", "a", "ab", "b", "\u{E9}", "a\u{0}"][value % 6]) }
            if value % 4 != 0 { record["c"] = .double(Double(value % 4) - 1.5) }
            if value % 3 != 0 { record["day"] = days[value % days.count] }
            if value % 2 == 0 { record["flag"] = .bool(value % 4 == 0) }
            return record
        }
    }

    private static let days = SampleType.date.classes.flatMap { $0 }

    /// Predicates that use each index by a prefix, by a range, by both, or not at all.
    private static let predicates: [QueryPredicate] = {
        let a1 = QueryPredicate.field("a", .equal(1))
        let bA = QueryPredicate.field("b", .equal("a"))
        let flag = QueryPredicate.field("flag", .equal(true))
        return [
            .all, a1, .field("a", .equal(nil)), .field("a", .notEqual(nil)), .field("a", .notEqual(1)), bA,
            .field("a", .less(0)), .field("a", .lessOrEqual(0)), .field("a", .greater(0)),
            .field("a", .greaterOrEqual(0)), .field("a", .between(-1, 1)), .field("b", .beginsWith("a")),
            .field("b", .beginsWith("")), .field("b", .contains("b")), .field("b", .between("a", "b")),
            .field("b", .equal("")), .field("b", .greater("")), a1 && bA, a1 && .field("b", .beginsWith("a")),
            a1 && .field("b", .less("b")), a1 && bA && .field("c", .greater(-1)),
            a1 && bA && .field("c", .equal(-0.5)), a1 && .field("c", .equal(-0.5)), bA && .field("c", .less(0)),
            a1 && .field("b", .equal(nil)), .field("a", .equal(nil)) && bA, .field("c", .equal(nil)) && bA,
            flag, flag && .field("day", .greaterOrEqual(days[3])), flag && .field("day", .equal(days[4])),
            .field("flag", .equal(false)) && .field("day", .less(days[3])), .field("flag", .equal(nil)),
            .or([a1, bA]), .not(a1), .not(.and([a1, bA])), a1 && .or([bA, .field("c", .equal(nil))]),
            .field("a", .greater(-1)) && .field("a", .less(2)), a1 && .field("a", .equal(2)),
            .field("a", .greater(1)) && .field("a", .less(0)), .field("a", .greater(.double(-0.5))),
            .field("a", .equal(.double(1))), .field("a", .equal(.double(1.5))),
            .field("a", .lessOrEqual(.double(0x1p63))), .field("c", .greater(.int(0))), .field("c", .equal(.int(0))),
            bA && .field("id", .greater("k1020")), .field("id", .beginsWith("k101")), .field("b", .equal("\u{E9}")),
            .field("b", .equal("e\u{301}")), .field("b", .beginsWith("a\u{0}")),
        ]
    }()

    private static let sorts: [Sort] = [
        .byKey, Sort([.init("a")]), Sort([.init("a", isDescending: true)]), Sort([.init("b")]),
        Sort([.init("b", isDescending: true)]), Sort([.init("a"), .init("b"), .init("c")]),
        Sort([.init("a", isDescending: true), .init("b", isDescending: true)]),
        Sort([.init("a"), .init("b", isDescending: true)]), Sort([.init("c"), .init("b")]),
        Sort([.init("day", isDescending: true)]), Sort([.init("flag"), .init("day")]), Sort([.init("b"), .init("id")]),
    ]

    /// Checks that both models give the same pages for every predicate and order.
    static func compare(_ subject: Subject, pages: [Page] = [.all, Page(offset: 3, limit: 5)]) throws {
        try subject.read { scope in
            for predicate in predicates {
                for sort in sorts {
                    for page in pages {
                        let keys = sort.keys.map { $0.field + ($0.isDescending ? " descending" : "") }
                        try expect(
                            try scope.ids("Indexed", where: predicate, sort: sort, page: page),
                            try scope.ids("Plain", where: predicate, sort: sort, page: page),
                            "where \(predicate.rendering) sorted by \(keys), offset \(page.offset): the model with "
                                + "indexes differs from the same rows in a model without.")
                    }
                }
            }
        }
    }

    private static func bothModels(_ count: Int, shift: Int = 0) -> [Record] {
        records("Plain", count, shift: shift) + records("Indexed", count, shift: shift)
    }

    static let all: [ConformanceCase] = [
        ConformanceCase(
            "index-same-as-scan", "indexes: every prefix, range and order gives what a scan gives", on: schema
        ) { subject in
            try subject.save(bothModels(90))
            try compare(subject)
        },
        ConformanceCase("index-same-as-scan", "indexes: a transaction finds its own writes by index", on: schema) {
            subject in
            try subject.save(bothModels(40))
            try subject.transaction { scope in
                try scope.save(bothModels(60, shift: 3))
                for model in ["Plain", "Indexed"] { try scope.delete(model, ["k1004", "k1009"]) }
                for predicate in predicates {
                    try expect(
                        try scope.read.ids("Indexed", where: predicate), try scope.read.ids("Plain", where: predicate),
                        "where \(predicate.rendering), inside a transaction that changed the rows")
                }
                return nil
            }
            try compare(subject, pages: [.all])
        },
        ConformanceCase("index-after-update", "indexes: a changed row is found by its new values only", on: schema) {
            subject in
            try subject.save(bothModels(60))
            for shift in [1, 7] {
                try subject.save(bothModels(60, shift: shift))
                try compare(subject, pages: [.all])
            }
        },
        ConformanceCase("index-after-update", "indexes: a value that goes missing leaves the index", on: schema) {
            subject in
            var record = Record(model: "Indexed", values: ["id": "k", "a": 1, "b": "x"])
            try subject.save(record)
            record["a"] = nil
            try subject.save(record)
            try subject.readBoth { scope in
                try expect(try scope.ids("Indexed", where: .field("a", .equal(1))), [], "The old value.")
                try expect(try scope.ids("Indexed", where: .field("a", .equal(nil))), ["k"], "The missing value.")
                try expect(try scope.ids("Indexed", where: .field("b", .equal("x"))), ["k"], "The other field.")
            }
        },
        ConformanceCase("index-after-delete", "indexes: a deleted row is found by no index", on: schema) { subject in
            try subject.save(bothModels(60))
            let gone = (0..<60).filter { $0 % 3 == 0 }.map { RecordID("k\($0 + 1_000)") }
            try subject.write { scope in
                try scope.delete("Plain", gone)
                try scope.delete("Indexed", gone)
            }
            try compare(subject, pages: [.all])
            try subject.read { scope in
                try expect(try scope.count("Indexed"), 40, "The rows left.")
                try expect(
                    try scope.count("Indexed", where: .field("a", .greaterOrEqual(-2))),
                    try scope.records("Plain").count { $0["a"] != nil }, "The rows left, counted by index.")
            }
        },
        ConformanceCase(
            "index-after-delete", "indexes: a row that comes again is found by its new values only", on: schema
        ) { subject in
            try subject.save(Record(model: "Indexed", values: ["id": "k", "a": 1, "b": "x"]))
            try subject.delete("Indexed", ["k"])
            try subject.readBoth { scope in
                try expect(try scope.ids("Indexed", where: .field("a", .equal(1))), [], "The deleted row by a.")
                try expect(try scope.count("Indexed", where: .field("b", .equal("x"))), 0, "The deleted row by b.")
            }
            try subject.save(Record(model: "Indexed", values: ["id": "k", "a": 2]))
            try subject.readBoth { scope in
                try expect(try scope.ids("Indexed", where: .field("a", .equal(1))), [], "The first value.")
                try expect(try scope.ids("Indexed", where: .field("a", .equal(2))), ["k"], "The second value.")
                try expect(try scope.ids("Indexed", where: .field("b", .equal(nil))), ["k"], "The value left out.")
            }
        },
        ConformanceCase("index-after-delete", "indexes: change, delete and put in one transaction", on: schema) {
            subject in
            try subject.save(bothModels(30))
            try subject.write { scope in
                for model in ["Plain", "Indexed"] {
                    try scope.save(records(model, 30, shift: 1))
                    try scope.delete(model, (0..<10).map { RecordID("k\($0 + 1_000)") })
                    try scope.save(records(model, 5, shift: 2))
                }
            }
            try compare(subject, pages: [.all])
        },
        ConformanceCase("index-after-update", "indexes: a rollback leaves the indexes as they were", on: schema) {
            subject in
            try subject.save(bothModels(30))
            try subject.transaction { scope in
                try scope.save(bothModels(40, shift: 4))
                try scope.delete("Indexed", ["k1001", "k1002"])
                return nil
            }
            try compare(subject, pages: [.all])
        },
        ConformanceCase(
            "index-duplicates", "indexes: 2,000 rows with one value are all found, in the order of their keys",
            on: schema
        ) { subject in
            let ids = (0..<2_000).map { "k\($0 * 37 % 2_000 + 1_000)" }
            try subject.save(ids.map { Record(model: "Indexed", values: ["id": .string($0), "a": 1, "b": "same"]) })
            try subject.readBoth { scope in
                let predicate = QueryPredicate.field("b", .equal("same"))
                try expect(try scope.ids("Indexed", where: predicate), ids.sorted(), "All rows with the value.")
                try expect(
                    try scope.ids(
                        "Indexed", where: predicate, sort: Sort([.init("b", isDescending: true)]), page: .first(10)),
                    Array(ids.sorted().prefix(10)), "Keys ascend also where the order descends.")
                try expect(try scope.count("Indexed", where: predicate), 2_000, "All rows counted.")
            }
            try subject.delete("Indexed", ids.prefix(1_999).map { RecordID($0) })
            try subject.readBoth { scope in
                try expect(try scope.ids("Indexed", where: .field("a", .equal(1))), [ids[1_999]], "The last row left.")
            }
        },
    ]
}
