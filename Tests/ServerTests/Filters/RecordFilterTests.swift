import Testing
@_spi(Adapters) import Tidelog
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Filters of the API")
struct RecordFilterTests {
    private static let schema = Schema(
        models: [
            ModelSchema(
                name: "Item",
                fields: [
                    FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string), FieldSchema("rank", .int),
                    FieldSchema("share", .double), FieldSchema("isOpen", .bool), FieldSchema("at", .dateTime),
                    FieldSchema("tags", .list(.string, elementIsRequired: false)),
                ])
        ])

    private static let time = Temporal.DateTime(Temporal.Instant(seconds: 1_795_428_000), secondsFromUTC: 0)

    private static let record = Record(
        model: "Item",
        values: [
            "id": "i", "title": .string("Zürich"), "rank": .int(7), "share": .double(0.5), "isOpen": .bool(false),
            "at": .dateTime(time),
            "tags": .list([.string("a"), nil, .string("b")]),
        ])

    private static func holds(_ filter: InputValue, for record: Record = record) throws -> Bool {
        let layout = SchemaLayout(StoredSchema(first: schema)).models[0]
        return try FilterReader(model: schema.models[0], schema: schema).filter(filter).condition(on: layout)
            .holds(for: EncodedRow(stored: record, layout: layout), within: ComparisonBudget(maximumByteCount: .max))
    }

    /// The filter `{field: {operator: value}}`.
    private static func test(_ field: String, _ name: String, _ value: InputValue) -> InputValue {
        .object(InputObject([.init(name: field, value: .object(InputObject([.init(name: name, value: value)])))]))
    }

    @Test(
        "each operator gives the expected result for a value that is not missing",
        arguments: [
            ("title", "eq", "Zürich", true), ("title", "eq", "Zurich", false), ("title", "ne", "Zurich", true),
            ("title", "lt", "a", true), ("title", "beginsWith", "Zü", true), ("title", "beginsWith", "ü", false),
            ("title", "contains", "rich", true), ("title", "notContains", "rich", false),
            ("tags", "contains", "b", true), ("tags", "contains", "c", false), ("tags", "notContains", "c", true),
            ("at", "eq", "2026-11-23T11:00:00+01:00", true), ("at", "gt", "2026-11-23T10:00:00.001Z", false),
            ("at", "beginsWith", "2026-11", true), ("at", "lt", "2026-12", true), ("at", "lt", "2026-1", false),
            ("title", "attributeType", "string", true), ("tags", "attributeType", "list", true),
            ("rank", "attributeType", "string", false),
        ])
    func texts(field: String, name: String, value: String, expected: Bool) throws {
        #expect(try Self.holds(Self.test(field, name, .string(value))) == expected)
    }

    @Test(
        "numbers are compared exactly, also an integer with a fraction",
        arguments: [
            ("rank", "eq", InputValue.int(7), true), ("rank", "eq", .double(7), true),
            ("rank", "lt", .double(7.5), true),
            ("rank", "ge", .int(8), false), ("rank", "between", .list([.int(7), .int(9)]), true),
            ("rank", "between", .list([.int(8), .int(9)]), false), ("share", "gt", .int(0), true),
            ("share", "le", .double(0.5), true), ("isOpen", "eq", .bool(false), true),
            ("isOpen", "ne", .bool(false), false),
            ("rank", "in", .list([.int(1), .int(7)]), true), ("rank", "notIn", .list([.int(7)]), false),
        ])
    func numbers(field: String, name: String, value: InputValue, expected: Bool) throws {
        #expect(try Self.holds(Self.test(field, name, value)) == expected)
    }

    @Test("a missing value passes only eq null, ne of a value, notContains and attributeExists: false")
    func missing() throws {
        let empty = Record(model: "Item", values: ["id": "i"])
        for (name, value) in [
            ("eq", InputValue.string("x")), ("lt", .string("x")), ("beginsWith", .string("")),
            ("contains", .string("")),
            ("attributeExists", .bool(true)), ("notIn", .list([.string("x")])), ("attributeType", .string("_null")),
            ("ne", .null),
        ] { #expect(try !Self.holds(Self.test("title", name, value), for: empty), "\(name)") }
        for (name, value) in [
            ("ne", InputValue.string("x")), ("notContains", .string("x")), ("attributeExists", .bool(false)),
            ("eq", .null),
        ] { #expect(try Self.holds(Self.test("title", name, value), for: empty), "\(name)") }
    }

    @Test("size counts the bytes of a text and the elements of a list, and fails for a number")
    func sizes() throws {
        #expect(try Self.holds(Self.test("title", "size", .object(["eq": .int(7)]))))
        #expect(try Self.holds(Self.test("tags", "size", .object(["between": .list([.int(3), .int(4)])]))))
        #expect(try !Self.holds(Self.test("rank", "size", .object(["ge": .int(0)]))))
    }

    @Test("operators and fields of one object must all hold; and, or and not can be nested; an empty filter holds")
    func nesting() throws {
        let isSeven = Self.test("rank", "eq", .int(7))
        let isEight = Self.test("rank", "eq", .int(8))
        #expect(
            try Self.holds(
                .object(["rank": .object(["ge": .int(7), "lt": .int(8)]), "isOpen": .object(["eq": .bool(false)])])))
        #expect(try Self.holds(.object(["or": .list([isEight, isSeven])])))
        #expect(try !Self.holds(.object(["and": .list([isEight, isSeven])])))
        #expect(
            try Self.holds(
                .object(["not": isEight, "and": .list([isSeven, .object(["not": .object(["or": .list([isEight])])])])]))
        )
        for empty: InputValue in [.null, .object([:]), .object(["and": .list([])]), .object(["or": .list([])])] {
            #expect(try Self.holds(empty))
        }
    }

    @Test("a filter with an unknown field or a wrong number of values for between is an error")
    func unusable() {
        for filter in [
            Self.test("rank", "between", .list([.int(1)])),
            Self.test("rank", "between", .list([.int(1), .int(2), .int(3)])),
            Self.test("title", "size", .object(["between": .list([])])), Self.test("nothing", "eq", .int(1)),
        ] {
            #expect(throws: ResolverError.self) { _ = try Self.holds(filter) }
        }
    }

    @Test("a filter may compare at most 1,000 values in all its parts together")
    func tooLong() throws {
        let isSeven = Self.test("rank", "eq", .int(7))
        let isOne = { (count: Int) in Self.test("rank", "in", .list(Array(repeating: .int(1), count: count))) }
        #expect(try Self.holds(.object(["or": .list(Array(repeating: isSeven, count: 1_000))])))
        #expect(try !Self.holds(isOne(1_000)))
        for filter: InputValue in [
            isOne(1_001), .object(["or": .list([isSeven, isOne(1_000)])]),
            .object(["not": .object(["and": .list([isOne(500), isOne(501)])])]),
        ] {
            let refused = #expect(throws: ResolverError.self) { _ = try Self.holds(filter) }
            #expect(refused?.message == "The filter compares more than 1,000 values: ask with several.")
        }
    }

    @Test("a plan uses the index of which the filter fixes the most leading fields")
    func plans() throws {
        var model = Self.schema.models[0]
        model.indexes = [
            IndexSchema(name: "byRank", fields: ["rank"]), IndexSchema(name: "byTitleAndAt", fields: ["title", "at"]),
        ]
        func plan(_ filter: InputValue) throws -> FilterPlan {
            FilterPlan(try FilterReader(model: model, schema: Self.schema).filter(filter).predicate, of: model)
        }
        #expect(try plan(.null).predicate == .all)
        #expect(try plan(Self.test("rank", "ne", .int(1))).predicate == .all)
        #expect(try plan(.object(["or": .list([Self.test("rank", "eq", .int(1))])])).predicate == .all)
        #expect(try plan(Self.test("rank", "eq", .int(1))).predicate == .and([.field("rank", .equal(.int(1)))]))
        let both = try plan(
            .object([
                "rank": .object(["eq": .int(1)]), "title": .object(["eq": .string("t")]),
                "at": .object([
                    "gt": .string("2026-11-23T10:00:00Z"), "beginsWith": .string("2026"), "contains": .string("T10"),
                ]),
            ]))
        // The plan leaves out `contains` of a time. The service checks it on each row.
        let year = try #require(TemporalPrefix("2026", of: .dateTime))
        #expect(
            both.predicate
                == .and([
                    .field("title", .equal(.string("t"))), .field("at", .greater(.dateTime(Self.time))),
                    .field("at", .between(year.first, year.last)),
                ]))
        #expect(both.sort == Sort([Sort.Key("at")]))
    }
}
