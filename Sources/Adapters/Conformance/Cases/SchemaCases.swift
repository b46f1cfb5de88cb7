@_spi(Adapters) internal import TidelogCore

/// A schema can be prepared a second time and can grow. Existing rows are kept.
enum SchemaCases {
    private static let id = FieldSchema("id", .id, isRequired: true)

    private static func model(_ name: String, _ fields: [FieldSchema], _ indexes: [[String]] = []) -> ModelSchema {
        ModelSchema(
            name: name, fields: [id] + fields,
            indexes: indexes.map { IndexSchema(name: "by_\($0.joined(separator: "_"))", fields: $0) })
    }

    private static let a = FieldSchema("a", .int)
    private static let b = FieldSchema("b", .string)
    private static let first = Schema(models: [model("First", [a, b], [["a"]])])

    private static func rows(_ count: Int = 20) -> [Record] {
        (0..<count).map { number in
            var record = Record(
                model: "First", values: ["id": .string("k\(number + 10)"), "b": .string("b\(number % 3)")])
            if number % 4 != 0 { record["a"] = .int(Int64(number % 5)) }
            return record
        }
    }

    private static func check(_ records: [Record], _ subject: Subject, _ hint: String) throws {
        try subject.readBoth { scope in
            try expect(try scope.records("First").map(\.rendering), records.map(\.rendering), hint)
        }
    }

    static let all: [ConformanceCase] = [
        ConformanceCase("prepare", "schema: preparing again changes no row, index or entry", on: first) { subject in
            try subject.save(rows())
            try AuxiliaryCases.put(["a": "1"], in: 0, of: subject)
            for _ in 0..<3 { try subject.prepare() }
            try check(rows(), subject, "The rows after preparing again.")
            try subject.read { scope in
                try expect(
                    try scope.count("First", where: .field("a", .equal(1))), rows().count { $0["a"] == 1 }, "By index.")
                try expect(try scope.auxiliaryEntries(in: Subject.auxiliaryTables[0]).count, 1, "The auxiliary entry.")
            }
        },
        ConformanceCase("schema-field-added", "schema: rows have no value in a field that came later", on: first) {
            subject in
            try subject.save(rows())
            try subject.adopt(
                Schema(models: [model("First", [a, b, FieldSchema("c", .double), FieldSchema("day", .date)], [["a"]])]))
            try check(rows(), subject, "The rows, whose new fields are missing.")
            try subject.readBoth { scope in
                try expect(try scope.count("First", where: .field("c", .equal(nil))), 20, "The new field is missing.")
                try expect(try scope.ids("First", where: .field("c", .greater(0))), [], "It compares with nothing.")
                try expect(try scope.ids("First", sort: Sort([.init("day")])).count, 20, "Sorted by a new field.")
            }
            var changed = rows()[3]
            changed["c"] = .double(1.5)
            changed["day"] = SampleType.date.values[2]
            try subject.save(changed)
            try subject.readBoth { scope in
                try expect(
                    try scope.ids("First", where: .field("c", .greater(0))), [changed.id], "A row with the new field.")
                try expect(try scope.record("First", RecordID(changed.id))?.rendering, changed.rendering, "That row.")
            }
        },
        ConformanceCase("schema-field-added", "schema: a new field may come before existing fields", on: first) {
            subject in
            try subject.save(rows())
            try subject.adopt(Schema(models: [model("First", [FieldSchema("c", .string), b, a], [["a"]])]))
            try check(rows(), subject, "The rows, by the new order of fields.")
            var changed = rows()[4]
            changed["c"] = "c"
            changed["b"] = "b"
            try subject.save(changed)
            try subject.readBoth { scope in
                try expect(try scope.record("First", RecordID(changed.id))?.rendering, changed.rendering, "A new row.")
                try expect(try scope.ids("First", where: .field("b", .equal("b"))), [changed.id], "Found by b.")
            }
        },
        ConformanceCase(
            "schema-field-dropped", "schema: a dropped field is gone and the remaining fields stay", on: first
        ) {
            subject in
            try subject.save(rows())
            try subject.adopt(Schema(models: [model("First", [b], [["b"]])]))
            let expected = rows().map { record in
                var record = record
                record["a"] = nil
                return record
            }
            try check(expected, subject, "The rows without the dropped field.")
            try subject.save(Record(model: "First", values: ["id": "k11", "b": "new"]))
            try subject.readBoth { scope in
                try expect(try scope.ids("First", where: .field("b", .equal("new"))), ["k11"], "A new row.")
            }
        },
        ConformanceCase("schema-model-added", "schema: a model that came later is empty and takes rows", on: first) {
            subject in
            try subject.save(rows())
            try subject.adopt(Schema(models: [model("Earlier", [a], [["a"]]), model("First", [a, b], [["a"]])]))
            try check(rows(), subject, "The rows of the model that was there.")
            try subject.readBoth { try expect(try $0.count("Earlier"), 0, "The new model's rows.") }
            try subject.save(Record(model: "Earlier", values: ["id": "k10", "a": 7]))
            try check(rows(), subject, "The rows of the model that was there.")
            try subject.readBoth { scope in
                try expect(try scope.ids("Earlier", where: .field("a", .equal(7))), ["k10"], "The new model by index.")
            }
        },
        ConformanceCase("schema-model-dropped", "schema: the other models stay when one is dropped", on: twoModels) {
            subject in
            try subject.save(rows() + [Record(model: "Second", values: ["id": "x"])])
            try subject.adopt(first)
            try check(rows(), subject, "The rows of the model that stays.")
        },
        ConformanceCase("index-filled", "schema: an index that came later holds the rows that were there", on: first) {
            subject in
            try subject.save(rows())
            try subject.adopt(Schema(models: [model("First", [a, b], [["a"], ["b", "a"], ["b"]])]))
            try checkIndexes(rows(), subject)
            let changed = rows().map { record in
                var record = record
                if record["b"] == "b1" { record["b"] = "b2" }
                return record
            }
            try subject.save(changed)
            try checkIndexes(changed, subject)
            try subject.delete("First", ["k10", "k11"])
            try checkIndexes(Array(changed.dropFirst(2)), subject)
        },
        ConformanceCase("index-filled", "schema: an index over a new field holds the rows that were there", on: first) {
            subject in
            try subject.save(rows())
            let c = FieldSchema("c", .int)
            try subject.adopt(Schema(models: [model("First", [a, b, c], [["a"], ["c"], ["c", "b"]])]))
            try subject.readBoth { scope in
                let missing = QueryPredicate.field("c", .equal(nil))
                try expect(try scope.count("First", where: missing), 20, "Every row is missing the new field.")
                try expect(
                    try scope.count("First", where: missing && .field("b", .equal("b0"))), 7, "By the second index.")
                try expect(try scope.ids("First", sort: Sort([.init("c")])), rows().map(\.id), "Ties by key.")
            }
        },
        ConformanceCase("index-filled", "schema: 1,000 rows fill an index that came later", on: first) { subject in
            let many = (0..<1_000).map { number in
                Record(
                    model: "First",
                    values: ["id": .string("k\(number + 1_000)"), "b": .string("b\(number * 7 % 1_000)"), "a": 1])
            }
            try subject.save(many)
            try subject.adopt(Schema(models: [model("First", [a, b], [["a"], ["b"]])]))
            try checkIndexes(many, subject)
        },
        ConformanceCase("index-redefined", "schema: an index that changes its fields is recreated", on: sameNameBefore)
        {
            subject in
            try subject.save(rows())
            try subject.adopt(
                Schema(models: [
                    ModelSchema(
                        name: "First", fields: [id, a, b], indexes: [IndexSchema(name: "index", fields: ["b", "a"])])
                ]))
            try checkIndexes(rows(), subject)
        },
        ConformanceCase("index-filled", "schema: a dropped index that comes again has the changes since", on: first) {
            subject in
            try subject.save(rows())
            try subject.adopt(Schema(models: [model("First", [a, b])]))
            let changed = rows().map { record in
                var record = record
                record["a"] = .int(9)
                return record
            }
            try subject.save(changed)
            try subject.delete("First", ["k12"])
            try subject.adopt(first)
            try checkIndexes(changed.filter { $0.id != "k12" }, subject)
        },
    ]

    private static let twoModels = Schema(models: [model("Second", [a]), model("First", [a, b], [["a"]])])
    private static let sameNameBefore = Schema(models: [
        ModelSchema(name: "First", fields: [id, a, b], indexes: [IndexSchema(name: "index", fields: ["a"])])
    ])

    /// Checks that queries that may use an index on `a` or `b` find exactly `records`.
    private static func checkIndexes(_ records: [Record], _ subject: Subject) throws {
        let values: [QueryPredicate] =
            (0..<10).map { .field("a", .equal(.int($0))) } + (0..<3).map { .field("b", .equal(.string("b\($0)"))) }
            + [
                .field("a", .equal(nil)), .field("b", .beginsWith("b")),
                .field("b", .equal("b1")) && .field("a", .less(3)),
            ]
        try subject.readBoth { scope in
            for predicate in values {
                for sort in [Sort.byKey, Sort([.init("b"), .init("a")]), Sort([.init("b", isDescending: true)])] {
                    let found = try scope.ids("First", where: predicate, sort: sort)
                    let expected = records.filter { ReferenceEvaluator.evaluate(predicate, $0) }.map(\.id)
                    try expect(found.sorted(), expected.sorted(), "where \(predicate.rendering)")
                    let bs = try scope.records("First", where: predicate, sort: sort).map { $0["b"]?.rendering ?? "" }
                    if let key = sort.keys.first {
                        try expect(bs, key.isDescending ? bs.sorted(by: >) : bs.sorted(), "In the order of b.")
                    }
                }
            }
        }
    }
}
