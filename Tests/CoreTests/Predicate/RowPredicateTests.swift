import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct RowPredicateTests {
    @Test func `random predicates pick the same rows as an evaluation of decoded records`() throws {
        var generator = SeededGenerator(81)
        var (passed, failed) = (0, 0)
        for round in 0..<250 {
            var schema = StoredSchema(first: round % 2 == 0 ? SampleSchema.declared : try generator.schema())
            if round % 3 == 0 { schema = schema.adopting(generator.revised(schema.declared)) }
            let declared = schema.declared
            let model = SchemaLayout(schema).models[0]
            var records: [Record] = []
            for _ in 0..<8 {
                var record = try generator.record(of: model.schema, in: declared)
                record.values = record.values.filled(model.schema.fields)
                records.append(record)
            }
            let rows = try records.map { try EncodedRow($0, layout: model) }
            for _ in 0..<20 {
                let predicate = try generator.predicate(for: model.schema, in: declared, records: records)
                let compiled = try RowPredicate(predicate, for: model)
                for (record, row) in zip(records, rows) {
                    let expected = evaluate(predicate, record)
                    let answer = try row.withRow { try compiled.evaluate($1) }
                    #expect(answer == expected, "\(predicate.text) on \(record.values.exact)")
                    if expected { passed += 1 } else { failed += 1 }
                }
            }
        }
        #expect(passed > 1_000 && failed > 1_000)
    }

    @Test func `a row is compared with a thousand alternatives in a few steps, whatever the field's type`() throws {
        let model = try SampleSchema.layout()
        let day = try Temporal.Date("2026-11-22")
        let fields: [(name: String, value: (Int) -> FieldValue)] = [
            ("title", { .string("text \($0)") }), ("id", { .string("\($0)") }), ("whole", { .int(Int64($0)) }),
            ("whole", { .double(Double($0)) }), ("number", { .double(Double($0) / 3) }),
            ("number", { .int(Int64($0)) }),
            ("stamp", { .int(Int64($0)) }), ("color", { .string("color \($0)") }),
            (
                "moment",
                { number in
                    (try? Temporal.DateTime("2026-01-01T00:00:\(10 + abs(number) % 50).\(100_000 + number)Z")).map {
                        .dateTime($0)
                    }
                        ?? .date(day)
                }
            ),
        ]
        for (name, value) in fields {
            for isPair in [false, true] {
                let members = (0..<1_000).map { number -> QueryPredicate in
                    let equality = QueryPredicate.field(name, .equal(value(number)))
                    return isPair ? .and([.field("flag", .equal(true)), equality]) : equality
                }
                let predicate = try RowPredicate(.or(members.shuffled()), for: model)
                for number in [0, 1, 499, 500, 998, 999, 1_000, -1] {
                    var record = SampleSchema.record
                    record["flag"] = true
                    // A query may compare a whole number with a floating-point number, but the record has a whole number.
                    record[name] = name == "whole" ? .int(Int64(number)) : value(number)
                    let row = try EncodedRow(record, layout: model)
                    var bytes = ComparedBytes()
                    let holds = try row.withRow { _, row in try predicate.evaluate(row, counting: &bytes) }
                    #expect(holds == evaluate(.or(members), record), "\(name) \(number)")
                    #expect(bytes.count <= 16 * 40, "\(name): \(bytes.count) compared bytes")
                }
            }
        }
    }

    @Test func `an alternative that does not fit its field is refused, however many other ones fit`() throws {
        let model = try SampleSchema.layout()
        let good = (0..<100).map { QueryPredicate.field("whole", .equal(.int(Int64($0)))) }
        for bad in [
            QueryPredicate.field("whole", .equal("x")), .field("nothing", .equal(1)), .field("place", .equal(1)),
        ] {
            for members in [good + [bad], [bad] + good, good + [.and([.field("flag", .equal(true)), bad])]] {
                let error = #expect(throws: DataStoreError.self) { try RowPredicate(.or(members), for: model) }
                #expect(error?.code == .invalidPredicate)
            }
        }
        let error = #expect(throws: DataStoreError.self) {
            try RowPredicate(.or((0..<100).map { .field("place", .equal(.int($0))) }), for: model)
        }
        #expect(error?.code == .invalidPredicate)
    }

    @Test func `whole and floating-point numbers compare exactly, also where doubles have gaps`() throws {
        let edges: [Int64] = [
            .min, .min + 1, -(1 << 53) - 1, -(1 << 53), -(1 << 53) + 1, -1, 0, 1, 1 << 53 - 1, 1 << 53, 1 << 53 + 1,
            1 << 62, .max - 1, .max,
        ]
        let doubles: [Double] = [
            -.greatestFiniteMagnitude, -0x1p63 - 2_048, -0x1p63, -0x1p53 - 2, -0x1p53, -0.5, -.leastNonzeroMagnitude, 0,
            .leastNonzeroMagnitude, 0.5, 1, 0x1p53, 0x1p53 + 2, 0x1p62, 0x1p63 - 1_024, 0x1p63,
            .greatestFiniteMagnitude,
        ]
        let model = try SampleSchema.layout()
        for int in edges {
            for double in doubles {
                let record = Record(
                    model: "Sample", values: ["id": "1", "whole": .int(int), "number": .double(double)])
                let row = try EncodedRow(record, layout: model)
                let comparisons: [(String, FieldValue)] = [("whole", .double(double)), ("number", .int(int))]
                for (field, constant) in comparisons {
                    for comparison in [
                        QueryPredicate.Comparison.equal(constant), .notEqual(constant), .less(constant),
                        .lessOrEqual(constant), .greater(constant), .greaterOrEqual(constant),
                    ] {
                        let predicate = QueryPredicate.field(field, comparison)
                        let answer = try row.withRow { try RowPredicate(predicate, for: model).evaluate($1) }
                        #expect(answer == evaluate(predicate, record), "\(predicate.text) on \(int), \(double)")
                    }
                }
            }
        }
    }

    @Test(arguments: [
        (QueryPredicate.field("title", .equal(nil)), true), (.field("title", .notEqual(nil)), false),
        (.field("title", .equal("")), false), (.field("title", .notEqual("")), true),
        (.field("title", .less("z")), false), (.field("title", .contains("")), false),
        (.field("title", .notContains("")), true), (.field("title", .beginsWith("")), false),
        (.field("names", .contains("x")), false), (.field("names", .notContains("x")), true),
        (.field("whole", .between(.int(.min), .int(.max))), false), (.not(.field("whole", .less(1))), true),
        (.and([]), true), (.or([]), false), (.all, true), (.not(.all), false), (.not(.or([])), true),
        (.and([.all, .or([.and([]), .or([])])]), true),
    ])
    func `a missing value satisfies only equality with nil and negations, and logic has two values`(
        predicate: QueryPredicate, holds: Bool
    )
        throws
    {
        let model = try SampleSchema.layout()
        let row = try EncodedRow(SampleSchema.record, layout: model)
        #expect(try row.withRow { try RowPredicate(predicate, for: model).evaluate($1) } == holds)
    }

    @Test(arguments: [
        ("e\u{301}", QueryPredicate.Comparison.equal("é"), false), ("é", .equal("é"), true),
        ("e\u{301}x", .beginsWith("e"), true), ("e\u{301}x", .beginsWith("é"), false),
        ("a\u{0}b", .equal("a"), false), ("a\u{0}b", .beginsWith("a\u{0}"), true),
        ("a\u{0}b", .contains("\u{0}b"), true),
        ("a", .less("a\u{0}"), true), ("\u{FFFF}", .less("\u{10000}"), true), ("z", .less("é"), true),
        ("B", .less("a"), true), ("aab", .contains("ab"), true), ("aab", .contains("abb"), false),
        ("", .contains(""), true),
        ("👩‍👩‍👧", .contains("👩"), true),
    ])
    func `texts are compared by their UTF-8 bytes`(text: String, comparison: QueryPredicate.Comparison, holds: Bool)
        throws
    {
        let model = try SampleSchema.layout()
        let record = Record(model: "Sample", values: ["id": "1", "title": .string(text)])
        let row = try EncodedRow(record, layout: model)
        #expect(try row.withRow { try RowPredicate(.field("title", comparison), for: model).evaluate($1) } == holds)
    }

    @Test(arguments: [
        QueryPredicate.field("nothing", .equal(1)), .field("title", .equal(1)), .field("whole", .equal("1")),
        .field("number", .less(.double(.nan))), .field("whole", .less(.double(.infinity))),
        .field("day", .less("2026-13-01")), .field("names", .less(.list([]))), .field("place", .less(.embedded([:]))),
        .field("whole", .beginsWith("1")), .field("whole", .contains(1)), .field("wholes", .contains("1")),
        .field("title", .between("a", 1)), .field("flag", .equal(1)), .field("names", .equal(.list([nil]))),
        .and([.all, .not(.or([.field("nothing", .equal(nil))]))]), .field("whole", .endsWith("1")),
        .field("whole", .ignoringCase(.equal, "1")), .field("names", .ignoringCase(.contains, "a")),
        .related("title", .all), .related("wholes", .all), .related("place", .field("nothing", .equal(nil))),
        .related("place", .related("place", .all)), .related("nothing", .all),
        .related("title", .field("size", .equal("1"))), .related("title", .field("size", .less(0.5))),
        .related("title", .field("size", .equal(nil))), .related("title", .field("text", .equal("a"))),
        .related("title", .field("length", .equal(1))), .related("whole", .field("size", .equal(8))),
        .related("places", .field("size", .equal(1))), .related("day", .field("text", .equal(1))),
        .related("day", .field("text", .notEqual(nil))), .related("names", .not(.field("size", .equal(1)))),
        .related("names", .field("text", .equal("a"))), .related("place", .field("size", .equal(1))),
    ])
    func `a predicate that does not fit the model is refused`(predicate: QueryPredicate) throws {
        let model = try SampleSchema.layout()
        let error = #expect(throws: DataStoreError.self) { try RowPredicate(predicate, for: model) }
        #expect(error?.code == .invalidPredicate)
    }

    @Test func `compared bytes are counted, and an evaluation that needs more than the limit is reported`() throws {
        let model = try SampleSchema.layout()
        let text = String(repeating: "ab", count: 500)
        var record = SampleSchema.record
        (record["title"], record["whole"], record["day"]) = (.string(text), 7, "2026-11-22")
        record["names"] = .list(["abc", "d"])
        let row = try EncodedRow(record, layout: model)
        let long = FieldValue.string(String(repeating: "b", count: 100))
        let expected: [(QueryPredicate, Int)] = [
            (.all, 0), (.field("whole", .equal(7)), 8), (.field("title", .equal(nil)), 8),
            (.field("title", .equal("ab")), 8), (.field("title", .equal(long)), 100),
            (.field("title", .contains(long)), 1_100), (.not(.field("title", .contains(long))), 1_100),
            (.field("title", .beginsWith(text)), 1_000), (.field("clock", .equal("10:00")), 8),
            (.or([.field("title", .contains("ab")), .field("whole", .equal(1))]), 1_002),
            (.or([.field("title", .contains("x")), .field("whole", .equal(1))]), 1_009),
            (.field("whole", .between(1, 9)), 16), (.related("title", .field("size", .equal(3))), 16),
            (.or((0..<16).map { .field("whole", .equal(.int($0))) }), 32),
        ]
        for (predicate, count) in expected {
            let compiled = try RowPredicate(predicate, for: model)
            for limit in [0, 8, 100, max(count - 1, 0), count, .max] {
                var bytes = ComparedBytes(limit: limit)
                let answer = try row.withRow { try compiled.evaluate($1, counting: &bytes) }
                #expect(bytes.isExceeded == (count > limit), "\(predicate.text) within \(limit)")
                guard !bytes.isExceeded else {
                    #expect(bytes.count <= count, "\(predicate.text) within \(limit)")
                    continue
                }
                #expect(bytes.count == count, "\(predicate.text)")
                #expect(answer == evaluate(predicate, record))
            }
        }
    }

    @Test func `a predicate that nests deeper than the limit is refused`() throws {
        let model = try SampleSchema.layout()
        var predicate = QueryPredicate.field("title", .equal("x"))
        for _ in 0..<PredicateCompiler.maximumDepth { predicate = .not(predicate) }
        _ = try RowPredicate(predicate, for: model)
        #expect(throws: DataStoreError.self) { try RowPredicate(.not(predicate), for: model) }
    }

    @Test func `a predicate on a damaged row gives an answer or an error, and never causes a trap`() throws {
        var generator = SeededGenerator(82)
        var viewCount = 0
        let model = try SampleSchema.layout()
        for _ in 0..<100 {
            let record = try generator.record(of: model.schema, in: SampleSchema.declared)
            let bytes = try EncodedRow(record, layout: model).bytes
            let predicate = try generator.predicate(for: model.schema, in: SampleSchema.declared, records: [record])
            let compiled = try RowPredicate(predicate, for: model)
            for _ in 0..<50 {
                var damaged = bytes
                for _ in 0...generator.below(3) { damaged[generator.below(bytes.count)] ^= 1 << generator.below(8) }
                damaged.withUnsafeBytes { bytes in
                    guard let row = try? RowView(bytes) else { return }
                    viewCount += 1
                    _ = try? compiled.evaluate(row)
                }
            }
        }
        #expect(viewCount > 1_000)
    }
}
