import Testing
@_spi(Adapters) import TidelogCore

@Suite("Queries use the indexes they can")
struct PlanTests {
    private func fixture() throws -> (Fixture, ModelLayout) {
        let fixture = try Fixture(Everything.schema)
        return (fixture, try fixture.model("Everything"))
    }

    private func plan(
        _ predicate: QueryPredicate, sort: Sort = .byKey, page: Page = .all, model name: String = "Everything"
    ) throws -> QueryPlan {
        let fixture = try Fixture(Everything.schema)
        let query = try StorageQuery(model: try fixture.model(name), predicate: predicate, sort: sort, page: page)
        return try fixture.read { try $0.plan(query) }
    }

    @Test("A range of an indexed field, sorted by that field, reads the index and needs no sorting")
    func range() throws {
        for isDescending in [false, true] {
            for (field, index, value) in [
                ("int", "byInt", 5), ("moment", "byMoment", "2026-11-21T10:30:00Z"), ("text", "byText", "a"),
                ("double", "byDouble", 7),
            ] as [(String, String, FieldValue)] {
                let plan = try plan(
                    .field(field, .greater(value)), sort: Sort([.init(field, isDescending: isDescending)]),
                    page: .first(100))
                #expect(plan.index == index, "\(plan)")
                #expect(!plan.sorts, "\(plan)")
            }
        }
    }

    @Test("A comparison with the prefix of a text uses the field's index")
    func prefix() throws {
        let plan = try plan(.field("text", .beginsWith("ab")))
        #expect(plan.index == "byText")
    }

    @Test("An index on two fields serves an equality on the first and a range on the second")
    func twoFields() throws {
        let both = QueryPredicate.and([.field("double", .equal(1)), .field("status", .greater("active"))])
        let plan = try plan(both, sort: Sort([.init("status")]))
        #expect(plan.index == "byDouble")
        #expect(!plan.sorts)
        #expect(plan.summary.contains("AND"), "\(plan)")
    }

    @Test("A query by a field without an index scans the table and sorts the rows")
    func scan() throws {
        let plan = try plan(.field("stamp", .greater(5)), sort: Sort([.init("stamp")]))
        #expect(plan.index == nil)
        #expect(plan.sorts)
    }

    @Test("A row is looked up by its key if the predicate gives it, alone, in a conjunction or as an alternative")
    func key() throws {
        let text = "0190a5b0-0000-7000-8000-000000000001"
        let many = QueryPredicate.or((0..<3_000).map { .field("id", .equal(.string("id\($0)"))) })
        for predicate in [
            .field("id", .equal(.string(text))), .field("int", .greater(4)) && .field("id", .equal("x")), many,
            .and([many, .field("text", .contains("a"))]),
        ] as [QueryPredicate] {
            let plan = try plan(predicate)
            #expect(plan.summary.contains("(_key=?)"), "\(plan)")
        }
    }

    @Test("Equal steps of a plan are counted, so that a condition with many alternatives has a short description")
    func manyAlternatives() throws {
        // The alternatives are of two fields, so SQLite reads an index for each of them.
        let alternatives = (0..<60).map { number in
            QueryPredicate.field("int", .equal(.int(Int64(number)))) && .field("text", .equal("t"))
        }
        let plan = try plan(.or(alternatives + [.field("double", .equal(1))]))
        #expect(plan.summary.count < 300, "\(plan.summary)")
        #expect(!plan.summary.contains("INDEX 1;"), "\(plan.summary)")
        #expect(plan.summary.contains("60 × SEARCH"), "\(plan.summary)")
    }

    @Test("An equality with the first field of a composite key reads a range of keys, and with both fields one key")
    func composite() throws {
        let owner = QueryPredicate.field("owner", .equal("a"))
        for predicate in [owner, owner && .field("rank", .greater(4))] {
            let plan = try plan(predicate, model: "Pair")
            #expect(plan.summary.contains("_key>? AND _key<?"), "\(plan)")
            #expect(!plan.sorts)
        }
        let whole = try plan(owner && .field("rank", .equal(4)), model: "Pair")
        #expect(whole.summary.contains("(_key=?)"), "\(whole)")
        let ordered = try plan(.all, sort: Sort([.init("owner"), .init("rank")]), model: "Pair")
        #expect(!ordered.sorts)
    }

    @Test("Predicates that are too deep or too large for SQLite are answered correctly")
    func large() throws {
        let (fixture, model) = try fixture()
        for number in 0..<20 {
            try fixture.put(["id": .string("id\(number)"), "int": .int(Int64(number))], in: "Everything")
        }
        var deep = QueryPredicate.field("int", .equal(3))
        for level in 0..<150 {
            let other = QueryPredicate.field("int", .equal(.int(Int64(level))))
            deep =
                level % 2 == 0
                ? .and([deep, .or([other, deep == .all ? .all : .not(other)])]) : .or([.not(.all), deep])
        }
        let values = (0..<20_000).map { QueryPredicate.field("int", .equal(.int(Int64($0 * 2)))) }
        try fixture.read { snapshot throws in
            #expect(try snapshot.texts("id", of: model, where: deep) == ["id3"])
            #expect(try snapshot.count(try StorageQuery(model: model, predicate: .or(values))) == 10)
            #expect(try snapshot.count(try StorageQuery(model: model, predicate: .or(Array(values[..<10_000])))) == 10)
            #expect(
                try snapshot.count(try StorageQuery(model: model, predicate: .not(.or(Array(values[..<10_000]))))) == 10
            )
        }
    }
}
