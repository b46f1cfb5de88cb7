@_spi(Adapters) internal import TidelogCore

/// A page is exactly a part of the whole sorted and filtered result.
enum PageCases {
    private static let schema: Schema = {
        let fields = [
            FieldSchema("id", .id, isRequired: true), FieldSchema("group", .int), FieldSchema("value", .int),
        ]
        return .plainAndIndexed(fields, by: ["byGroup": ["group"], "byValue": ["value"]])
    }()

    private static let sorts: [(String, Sort)] = [
        ("by key", .byKey), ("ascending", Sort([.init("value")])),
        ("descending", Sort([.init("value", isDescending: true)])), ("with ties", Sort([.init("group")])),
    ]

    private static let predicates: [(String, QueryPredicate)] = [
        ("everything", .all), ("one group", .field("group", .equal(1))),
        ("a range", .field("value", .greaterOrEqual(20))), ("nothing", .field("value", .equal(-1))),
    ]

    /// 60 records in 3 groups, some without a group. The order of the values is opposite to the order of the keys.
    private static func records(_ model: String) -> [Record] {
        (0..<60).map { number in
            var record = Record(
                model: model, values: ["id": .string("k\(number + 10)"), "value": .int(Int64((60 - number) / 2))])
            if number % 4 != 3 { record["group"] = .int(Int64(number % 4)) }
            return record
        }
    }

    /// A case that compares pages with the whole result, for every predicate and every order.
    private static func makeCase(
        _ rule: String, _ name: String,
        _ check:
            @escaping @Sendable (_ scope: ReadScope, _ whole: [String], _ model: String, QueryPredicate, Sort) throws ->
            Void
    ) -> ConformanceCase {
        ConformanceCase(rule, "pages: \(name)", on: schema) { subject in
            try subject.save(records("Plain") + records("Indexed"))
            try subject.readBoth { scope in
                for model in ["Plain", "Indexed"] {
                    for (_, predicate) in predicates {
                        for (_, sort) in sorts {
                            let whole = try scope.ids(model, where: predicate, sort: sort)
                            try check(scope, whole, model, predicate, sort)
                        }
                    }
                }
            }
        }
    }

    private static func hint(_ model: String, _ predicate: QueryPredicate, sort: Sort, page: Page) -> String {
        let keys = sort.keys.map { $0.field + ($0.isDescending ? " descending" : "") }.joined(separator: ", ")
        let limit = page.limit.map { "\($0)" } ?? "none"
        return "\(model) where \(predicate.rendering) sorted by [\(keys)], offset \(page.offset), limit \(limit)"
    }

    private static func slice(_ whole: [String], _ page: Page) -> [String] {
        Array(whole.dropFirst(page.offset).prefix(page.limit ?? .max))
    }

    private static func slices(_ rule: String, _ name: String, _ pages: [Page]) -> ConformanceCase {
        makeCase(rule, name) { scope, whole, model, predicate, sort in
            for page in pages {
                let expected = slice(whole, page)
                try expect(
                    try scope.ids(model, where: predicate, sort: sort, page: page), expected,
                    hint(model, predicate, sort: sort, page: page))
                try expect(
                    try scope.count(model, where: predicate, page: page), expected.count,
                    "The count of \(hint(model, predicate, sort: sort, page: page))")
            }
        }
    }

    static let all: [ConformanceCase] = [
        slices(
            "limit-after-filter", "a limit counts rows that pass the predicate", [1, 5, 14, 15].map { Page.first($0) }),
        slices(
            "offset-after-filter", "an offset counts rows that pass the predicate",
            [1, 5, 14, 15, 59].map { Page(offset: $0) }),
        slices(
            "page-slice", "an offset and a limit cut the middle out",
            [Page(offset: 3, limit: 4), Page(offset: 10, limit: 30), Page(offset: 58, limit: 2)]),
        slices("page-slice", "a limit of 0 gives nothing", [Page.first(0), Page(offset: 5, limit: 0)]),
        slices(
            "page-slice", "a limit beyond the end gives what there is",
            [Page.first(1_000), Page(offset: 50, limit: 100), Page(limit: .max), Page(offset: 5, limit: .max)]),
        slices(
            "page-slice", "an offset beyond the end gives nothing",
            [Page(offset: 60), Page(offset: 1_000, limit: 10), Page(offset: .max, limit: 10)]),
        makeCase("stable-pages", "pages put together are the whole, each record once") {
            scope, whole, model, predicate, sort in
            for limit in [7, 20, 60] {
                let pages = try SortCases.pages(limit: limit) {
                    try scope.ids(model, where: predicate, sort: sort, page: $0)
                }
                try expect(pages, whole, hint(model, predicate, sort: sort, page: .first(limit)))
            }
        },
        makeCase("stable-pages", "the same page asked for again is the same") { scope, _, model, predicate, sort in
            let page = Page(offset: 4, limit: 9)
            let first = try scope.ids(model, where: predicate, sort: sort, page: page)
            let second = try scope.ids(model, where: predicate, sort: sort, page: page)
            try expect(second, first, hint(model, predicate, sort: sort, page: page))
        },
        makeCase("after-key", "the rows after a key are the rest of the whole") {
            scope, whole, model, predicate, sort in
            guard sort == .byKey else { return }
            for (index, id) in whole.enumerated() where index % 5 == 0 || index == whole.count - 1 {
                try expect(
                    try scope.ids(model, where: predicate, after: RecordID(id)), Array(whole[(index + 1)...]),
                    "\(model) where \(predicate.rendering), after \(id)")
            }
        },
        makeCase("after-key", "the key to continue after need not exist") { scope, whole, model, predicate, sort in
            guard sort == .byKey else { return }
            for id in ["", "k", "k105", "k30x", "k69", "k7", "z"] as [String] {
                try expect(
                    try scope.ids(model, where: predicate, after: RecordID(id)), whole.filter { $0 > id },
                    "\(model) where \(predicate.rendering), after \(id.rendering)")
            }
        },
        makeCase("after-key", "offset and limit count from the key to continue after") {
            scope, whole, model, predicate, sort in
            guard sort == .byKey else { return }
            let rest = whole.filter { $0 > "k25" }
            for page in [Page.first(5), Page(offset: 3, limit: 5), Page(offset: 3), Page.first(0)] {
                try expect(
                    try scope.ids(model, where: predicate, page: page, after: "k25"), slice(rest, page),
                    hint(model, predicate, sort: sort, page: page) + ", after k25")
            }
        },
        makeCase("after-key", "continuing after the last key of each page gives every row") {
            scope, whole, model, predicate, sort in
            guard sort == .byKey else { return }
            var found: [String] = []
            while true {
                let page = try scope.ids(
                    model, where: predicate, page: .first(7), after: found.last.map { RecordID($0) })
                found += page
                if page.count < 7 { break }
            }
            try expect(found, whole, "\(model) where \(predicate.rendering), 7 at a time")
        },
        makeCase("count", "count is the number of rows that fetch gives") { scope, whole, model, predicate, _ in
            try expect(try scope.count(model, where: predicate), whole.count, "\(model) where \(predicate.rendering)")
        },
    ]
}
