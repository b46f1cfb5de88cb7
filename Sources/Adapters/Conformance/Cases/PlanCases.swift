@_spi(Adapters) internal import TidelogCore

/// An adapter may choose any plan that answers the query, but a plan must name existing tables and indexes.
enum PlanCases {
    private static let predicates: [QueryPredicate] = [
        .all, .or([]), .field("a", .equal(1)), .field("a", .greater(1)), .field("b", .beginsWith("a")),
        .field("a", .equal(1)) && .field("b", .equal("x")), .not(.field("a", .equal(1))),
        .or([.field("a", .equal(1)), .field("b", .equal("x"))]), .field("id", .equal("k1000")),
        .field("a", .equal(nil)), .field("day", .less("2026-11-21")), .field("id", .greater("k1")),
        .field("id", .between("k1", "k2")), .field("id", .greater("k1")) && .field("a", .equal(1)),
        .field("b", .endsWith("x")), .field("b", .ignoringCase(.contains, "X")),
    ]

    private static let sorts: [Sort] = [
        .byKey, Sort([.init("a")]), Sort([.init("b", isDescending: true)]), Sort([.init("a"), .init("b")]),
        Sort([.init("id", isDescending: true)]), Sort([.init("id")]), Sort([.init("a"), .init("id")]),
    ]

    static let all: [ConformanceCase] = [
        ConformanceCase("plan", "plans: every query has one, and it names an index of its model", on: IndexCases.schema)
        {
            subject in
            try subject.save(IndexCases.records("Indexed", 30) + IndexCases.records("Plain", 30))
            try subject.readBoth { scope in
                for model in ["Plain", "Indexed"] {
                    let names = try scope.model(model).indexes.map(\.name)
                    for predicate in predicates {
                        for sort in sorts {
                            for page in [Page.all, Page(offset: 2, limit: 3), Page.first(0)] {
                                let query = try scope.query(model, where: predicate, sort: sort, page: page)
                                let plan = try scope.reader.plan(query)
                                if let index = plan.index {
                                    try expect(names.contains(index), true, "The plan names the index \(index).")
                                }
                                try expect(
                                    plan.summary.isEmpty, false, "The plan describes in words how the query runs.")
                            }
                        }
                    }
                }
            }
        },
        ConformanceCase("plan", "plans: a plan that does not sort needs no sorting", on: IndexCases.schema) { subject in
            try subject.save(IndexCases.records("Plain", 30))
            try subject.readBoth { scope in
                let plan = try scope.reader.plan(try scope.query("Plain"))
                try expect(plan.sorts, false, "Rows in the order of their keys are in order already.")
                let other = try scope.reader.plan(try scope.query("Plain", sort: Sort([.init("a")])))
                try expect(other.sorts, true, "Without an index on it, an order by a field must be made.")
            }
        },
        ConformanceCase("plan", "plans: planning changes no answer", on: IndexCases.schema) { subject in
            try subject.save(IndexCases.records("Indexed", 30))
            try subject.readBoth { scope in
                for predicate in predicates {
                    let query = try scope.query("Indexed", where: predicate)
                    let before = try scope.records(query).map(\.id)
                    _ = try scope.reader.plan(query)
                    try expect(try scope.records(query).map(\.id), before, "where \(predicate.rendering)")
                }
            }
        },
    ]
}
