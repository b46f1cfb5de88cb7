import Testing
@_spi(Adapters) import TidelogCore

@_spi(Adapters) @testable import TidelogLMDBAdapter

@Suite("LMDB adapter: plans")
struct PlannerTests {
    /// A query and the summary of the plan it should get.
    struct Case: CustomTestStringConvertible, Sendable {
        let predicate: QueryPredicate
        var sort: Sort = .byKey
        var page: Page = .all
        let plan: String

        var testDescription: String { plan }
    }

    static let cases: [Case] = [
        Case(predicate: .all, plan: "table scan"),
        Case(predicate: .field("id", .equal("x")), plan: "primary key, id == \"x\""),
        Case(
            predicate: .and([.field("id", .equal("x")), .field("area", .greater(3))]), sort: descending("area"),
            plan: "primary key, id == \"x\""),
        // The order of ids in keys differs from the order of their texts.
        Case(predicate: .field("id", .less("x")), plan: "table scan"),
        Case(predicate: .all, sort: ascending("id"), page: .first(3), plan: "table scan, sorted by id"),
        Case(predicate: .field("population", .equal(5)), plan: "index byPopulation, population == 5"),
        Case(predicate: .field("population", .equal(nil)), plan: "index byPopulation, population == nil"),
        Case(
            predicate: .field("population", .between(1, 9)),
            plan: "index byPopulation, population between 1 and 9, sorted by key"),
        Case(
            predicate: .and([.field("population", .greater(1)), .field("population", .less(9))]),
            plan: "index byPopulation, population > 1, population < 9, sorted by key"),
        Case(
            predicate: .field("population", .greaterOrEqual(1_000_000)), sort: descending("population"),
            page: .first(10), plan: "index byPopulation, population >= 1000000, descending"),
        Case(
            predicate: .field("population", .greaterOrEqual(1_000_000)), sort: ascending("population"),
            plan: "index byPopulation, population >= 1000000"),
        // A range with only one end may contain most of the rows.
        Case(predicate: .field("population", .greater(1)), plan: "table scan"),
        Case(
            predicate: .field("population", .notEqual(nil)), sort: ascending("area"),
            plan: "table scan, sorted by area"),
        Case(predicate: .all, sort: descending("population"), page: .first(5), plan: "index byPopulation, descending"),
        Case(
            predicate: .field("area", .equal(1)), sort: ascending("population"), page: .first(5),
            plan: "index byPopulation"),
        // Fetching every row by the index costs more than sorting the few rows that pass.
        Case(
            predicate: .field("area", .equal(1)), sort: ascending("population"),
            plan: "table scan, sorted by population"),
        Case(predicate: .all, sort: ascending("population"), plan: "index byPopulation"),
        Case(
            predicate: .field("country", .equal("fr")), sort: descending("name"), page: .first(5),
            plan: "index byCountryName, country == \"fr\", descending"),
        Case(
            predicate: .field("country", .equal("fr")),
            sort: Sort([.init("country"), .init("name", isDescending: true)]),
            plan: "index byCountryName, country == \"fr\", descending"),
        Case(
            predicate: .all, sort: Sort([.init("country"), .init("name", isDescending: true)]),
            plan: "table scan, sorted by country, name descending"),
        Case(
            predicate: .and([.field("country", .equal("fr")), .field("name", .beginsWith("Pa"))]),
            plan: "index byCountryName, country == \"fr\", name beginsWith \"Pa\", sorted by key"),
        // In the index, rows with equal countries are in the order of their names, and not of their keys.
        Case(predicate: .all, sort: ascending("country"), plan: "table scan, sorted by country"),
        Case(
            predicate: .and([.field("country", .equal("fr")), .field("population", .equal(5))]),
            plan: "index byPopulation, population == 5"),
        Case(
            predicate: .and([.field("country", .equal("fr")), .field("name", .equal("Paris"))]),
            plan: "index byCountryName, country == \"fr\", name == \"Paris\""),
        Case(
            predicate: .or([.field("population", .equal(5)), .field("population", .equal(6))]),
            plan: "index byPopulation, 2 alternatives, sorted by key"),
        Case(
            predicate: .and([
                .field("area", .greater(1)),
                .or([
                    .field("id", .equal("x")), .or([.field("population", .equal(6)), .field("id", .equal("x"))]),
                    .field("country", .equal("fr")),
                ]),
            ]), sort: descending("area"), page: .first(3),
            plan:
                "index byCountryName and index byPopulation and primary key, 3 alternatives, sorted by area descending"),
        Case(
            predicate: .or([.field("id", .equal("x")), .field("id", .equal("y"))]),
            plan: "primary key, 2 alternatives, sorted by key"),
        Case(
            predicate: .or([
                .and([.field("population", .equal(3)), .field("population", .equal(4))]),
                .field("population", .equal(.double(1.5))),
            ]), plan: "nothing: no row can pass"),
        // If no index finds the rows of one alternative, the plan must read every row.
        Case(
            predicate: .or([.field("population", .equal(5)), .field("area", .equal(6))]), plan: "table scan"),
        Case(
            predicate: .or([.field("population", .equal(5)), .field("population", .greater(6))]), plan: "table scan"),
        Case(
            predicate: .and([
                .field("country", .equal("fr")),
                .or([.field("population", .equal(5)), .field("population", .equal(6))]),
            ]), plan: "index byCountryName, country == \"fr\", sorted by key"),
        Case(predicate: .not(.field("population", .equal(5))), plan: "table scan"),
        Case(predicate: .field("population", .equal(.double(1.5))), plan: "nothing: no row can pass"),
        Case(
            predicate: .and([.field("population", .less(3)), .field("population", .greater(3))]),
            plan: "nothing: no row can pass"),
        Case(
            predicate: .and([.field("population", .equal(3)), .field("population", .equal(nil))]),
            plan: "nothing: no row can pass"),
        Case(
            predicate: .field("id", .equal(.string(String(repeating: "x", count: 300)))),
            plan: "nothing: no row can pass"),
    ]

    static let keyedCases: [Case] = [
        Case(
            predicate: .and([.field("tenant", .equal("t")), .field("created", .greater(5))]),
            plan: "primary key, tenant == \"t\", created > 5"),
        Case(
            predicate: .field("tenant", .equal("t")), sort: descending("created"), page: .first(5),
            plan: "primary key, tenant == \"t\", descending"),
        Case(predicate: .all, sort: ascending("tenant"), plan: "table scan"),
        Case(predicate: .all, sort: descending("created"), plan: "table scan, sorted by created descending"),
        Case(
            predicate: .field("tenant", .equal("t")), sort: Sort([.init("created"), .init("id")]),
            plan: "primary key, tenant == \"t\", sorted by created, id"),
        Case(
            predicate: .and([.field("tenant", .equal("t")), .field("created", .equal(1)), .field("id", .equal("x"))]),
            plan: "primary key, tenant == \"t\", created == 1, id == \"x\""),
        Case(
            predicate: .field("tenant", .equal("t")),
            sort: Sort([.init("mark", isDescending: true), .init("created")]),
            page: .first(3), plan: "primary key, tenant == \"t\", sorted by mark descending, created"),
        Case(
            predicate: .all, sort: Sort([.init("mark", isDescending: true), .init("tenant"), .init("created")]),
            page: .first(3), plan: "index byMark, descending"),
    ]

    static func ascending(_ name: String) -> Sort { Sort([.init(name)]) }
    static func descending(_ name: String) -> Sort { Sort([.init(name, isDescending: true)]) }

    static let city = ModelSchema(
        name: "City",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("name", .string), FieldSchema("country", .string),
            FieldSchema("population", .int), FieldSchema("area", .double),
        ],
        indexes: [
            IndexSchema(name: "byCountryName", fields: ["country", "name"]),
            IndexSchema(name: "byPopulation", fields: ["population"]),
        ])

    static let event = ModelSchema(
        name: "Event",
        fields: [
            FieldSchema("tenant", .string, isRequired: true), FieldSchema("created", .int, isRequired: true),
            FieldSchema("id", .id, isRequired: true), FieldSchema("mark", .int),
        ],
        primaryKey: ["tenant", "created", "id"], indexes: [IndexSchema(name: "byMark", fields: ["mark"])])

    static func plan(
        _ schema: ModelSchema, _ test: Case, isUsable: (IndexLayout) -> Bool = { _ in true }
    ) throws -> QueryPlan {
        let model = SchemaLayout(StoredSchema(first: Schema(models: [schema]))).models[0]
        let query = try StorageQuery(model: model, predicate: test.predicate, sort: test.sort, page: test.page)
        return Planner(query, for: .rows, isUsable: isUsable).plan().described(query)
    }

    @Test(
        "A thousand alternatives with indexes are a thousand look-ups, and more alternatives than the limit are a scan")
    func manyAlternatives() throws {
        let model = SchemaLayout(StoredSchema(first: Schema(models: [Self.city]))).models[0]
        func plan(_ count: Int, _ others: [QueryPredicate] = []) throws -> AccessPlan {
            let members = (0..<count).map { QueryPredicate.field("population", .equal(.int(Int64($0 * 7 % count)))) }
            let query = try StorageQuery(model: model, predicate: .or(members + others))
            return Planner(query, for: .rows) { _ in true }.plan()
        }
        guard case .alternatives(let alternatives, let areDisjoint) = try plan(1_000).access else {
            Issue.record("a thousand alternatives are no scan")
            return
        }
        #expect(alternatives.count == 1_000 && areDisjoint)
        guard case .alternatives(let mixed, let mixedAreDisjoint) = try plan(999, [.field("id", .equal("x"))]).access
        else {
            Issue.record("a thousand alternatives are no scan")
            return
        }
        #expect(mixed.count == 1_000 && !mixedAreDisjoint)
        #expect(try plan(Planner.mostAlternatives + 1).access == .table)
    }

    @Test("The predicate, the sort and the page of a query decide between key, index and scan", arguments: cases)
    func chooses(test: Case) throws {
        let plan = try Self.plan(Self.city, test)
        #expect(plan.summary == test.plan)
        #expect(plan.sorts == test.plan.contains("sorted by"))
        // A plan that uses several indexes names none in `index`.
        #expect((plan.index != nil) == (test.plan.hasPrefix("index") && !test.plan.contains(" and index")))
    }

    @Test(
        "The leading fields of a primary key serve as an index, but an id only with an equality", arguments: keyedCases)
    func choosesKeys(test: Case) throws {
        #expect(try Self.plan(Self.event, test).summary == test.plan)
    }

    @Test("An index that a snapshot does not have is not used")
    func missingIndex() throws {
        let test = Case(predicate: .field("population", .equal(5)), plan: "")
        #expect(try Self.plan(Self.city, test) { $0.name != "byPopulation" }.summary == "table scan")
    }

    @Test("A range of keys proves its predicate unless a bound is longer than the part that a cut key keeps")
    func proves() throws {
        let model = SchemaLayout(StoredSchema(first: Schema(models: [Self.city]))).models[0]
        func isProven(_ predicate: QueryPredicate) throws -> Bool {
            Planner(try StorageQuery(model: model, predicate: predicate), for: .rows) { _ in true }.plan()
                .provesPredicate
        }
        #expect(try isProven(.field("country", .equal("fr"))))
        #expect(try isProven(.field("country", .beginsWith(String(repeating: "x", count: 253)))))
        #expect(try !isProven(.field("country", .beginsWith(String(repeating: "x", count: 254)))))
        #expect(try !isProven(.and([.field("country", .equal("fr")), .field("area", .equal(1))])))
        #expect(try !isProven(.and([.field("country", .equal("fr")), .field("country", .contains("f"))])))
    }
}

@Suite("LMDB adapter: ranges of values")
struct ValueRangeTests {
    static let comparisons: [@Sendable (FieldValue) -> QueryPredicate.Comparison] = [
        { .equal($0) }, { .less($0) }, { .lessOrEqual($0) }, { .greater($0) }, { .greaterOrEqual($0) },
        { .between($0, $0) },
    ]

    static let ints: [Int64] = [
        .min, .min + 1, -(1 << 53) - 1, -(1 << 53), -1, 0, 1, 2, (1 << 53) - 1, 1 << 53, (1 << 53) + 1, (1 << 53) + 2,
        .max - 1_023, .max - 1, .max,
    ]
    static let doubles: [Double] = [
        -.greatestFiniteMagnitude, -0x1p63 - 2_048, -0x1p63, -0x1p53 - 2, -0x1p53, -1.5, -1, -0.0, 0,
        .leastNonzeroMagnitude, 0.5, 1, 1.5, 0x1p53, 0x1p53 + 2, 0x1p63 - 1_024, 0x1p63, 1e300,
    ]

    private func check(_ type: FieldType, _ values: [FieldValue], _ constants: [FieldValue]) throws {
        let schema = ModelSchema(
            name: "Sample", fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("value", type)])
        let model = SchemaLayout(StoredSchema(first: Schema(models: [schema]))).models[0]
        for constant in constants {
            for comparison in Self.comparisons {
                let predicate = QueryPredicate.field("value", comparison(constant))
                let filter = try RowPredicate(predicate, for: model)
                let range = try #require(ValueRange.range(of: model.row.fields[1], comparison(constant)))
                for value in values.map(Optional.some) + [nil] {
                    var record = Record(model: "Sample", values: ["id": "1"])
                    record["value"] = value
                    let holds = try EncodedRow(record, layout: model).withRow { try filter.evaluate($1) }
                    // In a key, more bytes always follow a component.
                    let key = ValueRange.encoded(value) + [0x12, 0x31, 0]
                    let isInside =
                        !key.lexicographicallyPrecedes(range.lower)
                        && key.lexicographicallyPrecedes(range.upper)
                    #expect(isInside == holds, "\(String(describing: value)) in \(predicate)")
                }
            }
        }
    }

    @Test("A comparison of whole numbers with any number has the same result in keys as in rows")
    func wholeNumbers() throws {
        let values = Self.ints.map(FieldValue.int)
        try check(.int, values, values + Self.doubles.map(FieldValue.double))
        try check(.timestamp, values, values + Self.doubles.map(FieldValue.double))
    }

    @Test("A comparison of floating-point numbers with any number has the same result in keys as in rows")
    func floatingPointNumbers() throws {
        let values = Self.doubles.map(FieldValue.double)
        try check(.double, values, values + Self.ints.map(FieldValue.int))
    }

    @Test("A comparison of texts, truth values or instants has the same result in keys as in rows")
    func others() throws {
        let texts = ["", "\u{0}", "\u{0}\u{0}", "a", "a\u{0}", "a\u{0}b", "ab", "b", "é", "\u{10FFFF}"]
            .map(FieldValue.string)
        try check(.string, texts, texts)
        try check(.bool, [.bool(true), .bool(false)], [.bool(true), .bool(false)])
        let moments = try ["2026-11-21T10:30:00Z", "2026-11-21T11:30:00.0+01:00", "1969-12-31T23:59:59.5Z"]
            .map { FieldValue.dateTime(try Temporal.DateTime($0)) }
        try check(.dateTime, moments, moments)
    }

    @Test("The range of a prefix contains exactly the texts that begin with it, byte for byte")
    func prefixes() throws {
        let texts = ["", "\u{0}", "a", "a\u{0}", "a\u{0}b", "ab", "b", "e\u{301}", "é", "\u{10FFFF}\u{10FFFF}"]
        let schema = ModelSchema(
            name: "Sample", fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("value", .string)])
        let field = SchemaLayout(StoredSchema(first: Schema(models: [schema]))).models[0].row.fields[1]
        for prefix in texts + ["e", "\u{10FFFF}"] {
            let range = try #require(ValueRange.range(of: field, .beginsWith(prefix)))
            for text in texts.map(Optional.some) + [nil] {
                let key = ValueRange.encoded(text.map(FieldValue.string)) + [0x12, 0x31, 0]
                let isInside = !key.lexicographicallyPrecedes(range.lower) && key.lexicographicallyPrecedes(range.upper)
                #expect(isInside == (text?.utf8.starts(with: prefix.utf8) ?? false), "\(prefix) \(text ?? "nil")")
            }
        }
    }
}
