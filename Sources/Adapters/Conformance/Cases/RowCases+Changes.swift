@_spi(Adapters) internal import TidelogCore

extension RowCases {
    static let changes: [ConformanceCase] = [
        ConformanceCase("overwrite", "rows: a second put replaces the row", on: schema(.int)) { subject in
            try subject.save(holder("a", 1, after: "x"), holder("b", 2, after: "y"))
            try subject.save(holder("a", 3, after: "z"))
            try subject.readBoth { try check([holder("a", 3, after: "z"), holder("b", 2, after: "y")], $0) }
        },
        ConformanceCase("overwrite", "rows: a put of a row without a value removes the value", on: schema(.int)) {
            subject in
            try subject.save(holder("a", 1, after: "x"))
            try subject.save(holder("a", nil, after: "x"))
            try subject.readBoth { try check([holder("a", nil, after: "x")], $0) }
            try subject.save(holder("a", nil))
            try subject.readBoth { try check([holder("a", nil)], $0) }
            try subject.save(holder("a", 0, after: ""))
            try subject.readBoth { try check([holder("a", 0, after: "")], $0) }
        },
        ConformanceCase("overwrite", "rows: a put of an equal row changes nothing but its event", on: schema(.int)) {
            subject in
            try subject.save(holder("a", 1))
            try subject.save(holder("a", 1))
            try subject.readBoth { scope in
                try check([holder("a", 1)], scope)
                try expect(
                    try scope.sequence("Holder", "a"), SequenceNumber(subject.sequence - 1), "The second put's event.")
            }
        },
        ConformanceCase(
            "overwrite", "rows: equal instants with other texts are another row", on: schema(.dateTime)
        ) { subject in
            for text in ["1970-01-01T00:00:00Z", "1970-01-01T02:00:00+02:00", "1970-01-01T00:00:00.000Z"] {
                let record = holder("a", .dateTime(try Temporal.DateTime(text)))
                try subject.save(record)
                try subject.readBoth { try check([record], $0) }
            }
        },
        ConformanceCase("overwrite", "rows: rows grow and shrink in place", on: schema(.string)) { subject in
            for length in [10, 100_000, 3, 70_000, 0, 200_000] {
                let record = holder("a", .string(String(repeating: "x", count: length)), after: "end")
                try subject.save(record, holder("b", "neighbour"))
                try subject.readBoth { try check([record, holder("b", "neighbour")], $0) }
            }
        },
        ConformanceCase("delete", "rows: a delete removes the row and leaves its neighbours", on: schema(.int)) {
            subject in
            try subject.save(holder("a", 1), holder("b", 2), holder("c", 3))
            try subject.delete("Holder", ["b"])
            try subject.readBoth { scope in
                try check([holder("a", 1), holder("c", 3)], scope)
                try expect(try scope.record("Holder", "b"), nil, "The deleted row.")
                try expect(try scope.count("Holder"), 2, "The rows left.")
            }
        },
        ConformanceCase("delete", "rows: the last row can go", on: schema(.int)) { subject in
            try subject.save(holder("a", 1))
            try subject.delete("Holder", ["a"])
            try subject.readBoth { try check([], $0) }
        },
        ConformanceCase("delete", "rows: a deleted row can come again, without its old values", on: schema(.int)) {
            subject in
            try subject.save(holder("a", 1, after: "x"))
            try subject.delete("Holder", ["a"])
            try subject.save(holder("a", nil))
            try subject.readBoth { try check([holder("a", nil)], $0) }
        },
        ConformanceCase("delete", "rows: a delete of a row that is not there changes nothing", on: schema(.int)) {
            subject in
            try subject.save(holder("b", 1))
            try subject.delete("Holder", ["a", "c"])
            try subject.readBoth { try check([holder("b", 1)], $0) }
        },
        ConformanceCase("delete", "rows: puts and deletes in one transaction", on: schema(.int)) { subject in
            try subject.save((0..<6).map { holder("k\($0)", 0) })
            try subject.write { scope in
                try scope.delete("Holder", ["k1", "k4"])
                try scope.save([holder("k0", 1), holder("k6", 1)])
                try scope.delete("Holder", ["k6", "k5"])
                try scope.save([holder("k1", 2)])
            }
            try subject.readBoth { scope in
                try check([holder("k0", 1), holder("k1", 2), holder("k2", 0), holder("k3", 0)], scope)
            }
        },
        ConformanceCase("models-apart", "rows: equal keys in two models are two rows", on: schema(.int)) { subject in
            try subject.save(holder("a", 1), holder("a", 2, model: "Other"))
            try subject.readBoth { scope in
                try check([holder("a", 1)], scope)
                try check([holder("a", 2, model: "Other")], model: "Other", scope)
            }
            try subject.delete("Other", ["a"])
            try subject.readBoth { scope in
                try check([holder("a", 1)], scope)
                try check([], model: "Other", scope)
            }
        },
    ]

    static let amounts: [ConformanceCase] = [
        ConformanceCase(
            "big-batch", "rows: 10,000 rows in one batch, changed and deleted in one batch", on: schema(.int)
        ) {
            subject in
            let ids = (0..<10_000).map { "k\($0 * 7_919 % 10_000 + 10_000)" }
            try subject.save(ids.enumerated().map { holder($1, .int(Int64($0))) })
            try subject.readBoth { scope in
                try expect(try scope.count("Holder"), 10_000, "All rows.")
                try expect(try scope.ids("Holder"), ids.sorted(), "All rows in the order of their keys.")
            }
            try subject.save(ids.prefix(5_000).map { holder($0, -1) })
            try subject.delete("Holder", ids.suffix(4_000).map { RecordID($0) })
            try subject.readBoth { scope in
                try expect(try scope.count("Holder"), 6_000, "The rows left.")
                try expect(try scope.count("Holder", where: .field("value", .equal(-1))), 5_000, "The changed rows.")
            }
        },
        ConformanceCase("big-batch", "rows: many small commits add up", on: schema(.int)) { subject in
            for number in 0..<200 { try subject.save(holder("k\(number % 50 + 100)", .int(Int64(number)))) }
            try subject.readBoth { scope in
                try check((0..<50).map { holder("k\($0 + 100)", .int(Int64($0 + 150))) }, scope)
            }
        },
        ConformanceCase("row-round-trip", "rows: a row of 300 fields comes back", on: wide) { subject in
            var values: [String: FieldValue] = ["id": "a"]
            for number in 0..<300 where number % 3 != 0 { values["f\(number)"] = .int(Int64(number)) }
            try subject.save(Record(model: "Wide", values: values))
            try subject.readBoth { scope in
                try expect(
                    try scope.records("Wide").map(\.rendering), [Record(model: "Wide", values: values).rendering],
                    "A row with two thirds of its 300 fields present.")
                try expect(
                    try scope.ids("Wide", where: .field("f299", .equal(299)) && .field("f297", .equal(nil))), ["a"],
                    "A predicate on the last fields.")
            }
        },
        ConformanceCase("row-round-trip", "rows: a row of nothing but its key comes back", on: wide) { subject in
            try subject.save(Record(model: "Wide", values: ["id": "a"]))
            try subject.readBoth { scope in
                try expect(
                    try scope.records("Wide").map(\.rendering), [Record(model: "Wide", values: ["id": "a"]).rendering],
                    "A row whose other fields are missing.")
            }
        },
        ConformanceCase("models-apart", "rows: fifty models are kept apart", on: manyModels) { subject in
            try subject.write { scope in
                for number in 0..<50 {
                    try scope.save([Record(model: "M\(number)", values: ["id": .string("k\(number)")])])
                }
            }
            try subject.readBoth { scope in
                for number in 0..<50 {
                    try expect(try scope.ids("M\(number)"), ["k\(number)"], "The rows of model \(number).")
                }
            }
        },
        names("models and fields may have any name that the schema takes", oddModelNames, oddFieldNames),
        names(
            "names that differ in case alone are different names", ["Post", "post", "POST"], ["a", "A", "ab", "aB"]),
    ]

    private static let wide = Schema(models: [
        ModelSchema(
            name: "Wide",
            fields: [FieldSchema("id", .id, isRequired: true)] + (0..<300).map { FieldSchema("f\($0)", .int) })
    ])

    private static let manyModels = Schema(
        models: (0..<50).map { ModelSchema(name: "M\($0)", fields: [FieldSchema("id", .id, isRequired: true)]) })

    /// Words of SQL, names that adapters use themselves, and the longest possible name.
    private static let oddModelNames = [
        "Order", "select", "sqlite", "sqlite_x", "_meta", "_auxiliary", "meta", "m1", "i1", "index", "Group", "_",
        "main",
        String(repeating: "N", count: 128),
    ]

    private static let oddFieldNames = [
        "select", "_key", "_sequence", "key", "rowid", "oid", "table", "_1", "null", "day_instant", "day",
        String(repeating: "f", count: 128),
    ]

    private static func names(_ name: String, _ models: [String], _ fields: [String]) -> ConformanceCase {
        let schema = Schema(
            models: models.map { name in
                ModelSchema(
                    name: name,
                    fields: [FieldSchema("id", .id, isRequired: true)]
                        + fields.map { FieldSchema($0, $0 == "day" ? .date : .int) },
                    indexes: fields.map { IndexSchema(name: $0, fields: [$0]) })
            })
        return ConformanceCase("names", "rows: \(name)", on: schema) { subject in
            let day = FieldValue.date(try Temporal.Date("2026-11-21"))
            var records: [Record] = []
            for (number, model) in models.enumerated() {
                var record = Record(model: model, values: ["id": "a"])
                for (index, field) in fields.enumerated() {
                    record[field] = field == "day" ? day : .int(Int64(number * 100 + index))
                }
                records.append(record)
            }
            try subject.save(records)
            try subject.readBoth { scope in
                for record in records {
                    try expect(
                        try scope.records(record.model).map(\.rendering), [record.rendering],
                        "The rows of \(record.model).")
                    for field in fields {
                        let predicate = QueryPredicate.field(field, .equal(record[field]))
                        try expect(
                            try scope.ids(record.model, where: predicate, sort: Sort([.init(field)])), ["a"],
                            "\(record.model) where \(predicate.rendering)")
                    }
                }
            }
        }
    }
}
