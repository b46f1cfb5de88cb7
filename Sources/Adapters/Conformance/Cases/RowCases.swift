@_spi(Adapters) internal import TidelogCore

/// Rows are returned exactly as they were put, and are gone after they were deleted.
enum RowCases {
    static let all: [ConformanceCase] =
        SampleType.all.map(roundTrip) + SampleType.all.map(listRoundTrip) + shapes + changes + reading + amounts

    static func schema(_ type: FieldType) -> Schema {
        let fields = [
            FieldSchema("id", .id, isRequired: true), FieldSchema("value", type), FieldSchema("after", .string),
        ]
        return Schema(
            models: [ModelSchema(name: "Holder", fields: fields), ModelSchema(name: "Other", fields: fields)],
            embeddedTypes: [
                EmbeddedSchema(
                    name: "Outer",
                    fields: [
                        FieldSchema("text", .string), FieldSchema("inner", .embedded("Inner")),
                        FieldSchema("inners", .list(.embedded("Inner"), elementIsRequired: false)),
                        FieldSchema("number", .int),
                    ]),
                EmbeddedSchema(
                    name: "Inner",
                    fields: [FieldSchema("day", .date), FieldSchema("real", .double), FieldSchema("flag", .bool)]),
            ], enums: [SampleType.statusEnum])
    }

    /// A case that checks that each of `values` is returned unchanged: by get and fetch, in a transaction and after it.
    private static func roundTrip(_ name: String, _ type: FieldType, _ values: [FieldValue?]) -> ConformanceCase {
        ConformanceCase("row-round-trip", "rows: \(name)", on: schema(type)) { subject in
            let records = values.enumerated().map { holder("k\($0.offset)", $0.element, after: "a\($0.offset)") }
            try subject.write { scope in
                try scope.save(records)
                try check(records, scope.read)
            }
            try subject.read { try check(records, $0) }
        }
    }

    static func holder(_ id: String, _ value: FieldValue?, after: String? = nil, model: String = "Holder") -> Record {
        var record = Record(model: model, values: ["id": .string(id)])
        record["value"] = value
        record["after"] = after.map { .string($0) }
        return record
    }

    /// Checks that there are exactly these `records`, byte for byte.
    static func check(_ records: [Record], model: String = "Holder", _ scope: ReadScope) throws {
        for record in records {
            try expect(
                try scope.record(model, RecordID(record.id))?.rendering, record.asStored.rendering,
                "The row under its key, from get.")
        }
        try expect(
            try scope.records(model).map(\.rendering).sorted(),
            records.map(\.asStored.rendering).sorted(), "All rows, from fetch.")
    }

    private static func roundTrip(_ sample: SampleType) -> ConformanceCase {
        roundTrip(
            "every \(sample.name) comes back as it was", sample.type, sample.classes.flatMap { $0 }.map { $0 } + [nil])
    }

    private static func listRoundTrip(_ sample: SampleType) -> ConformanceCase {
        roundTrip(
            "every [\(sample.name)] comes back as it was", .list(sample.type, elementIsRequired: false),
            [
                .list(sample.classes.flatMap { $0 }), .list([]), nil, .list([nil]),
                .list([nil, sample.values[0], nil, nil]), .list([sample.values[0], sample.values[0]]),
            ])
    }

    private static let nested = FieldType.list(.list(.string, elementIsRequired: false), elementIsRequired: false)
    private static let day = SampleType.date.classes[3][2]

    private static let shapes: [ConformanceCase] = [
        roundTrip(
            "lists of lists come back as they were", nested,
            [.list([.list(["a", nil]), nil, .list([])]), .list([]), .list([.list([.string(large(70_000))])]), nil]),
        roundTrip(
            "embedded values come back as they were", .embedded("Outer"),
            [
                .embedded([:]), .embedded(["text": ""]), .embedded(["inner": .embedded([:])]),
                .embedded(["text": "t", "inner": .embedded(["day": day, "real": 0.1, "flag": false]), "number": 7]),
                .embedded(["inners": .list([.embedded([:]), nil, .embedded(["flag": true])])]),
                .embedded(["inners": .list([])]), nil,
            ]),
        roundTrip(
            "lists of embedded values come back as they were", .list(.embedded("Outer"), elementIsRequired: false),
            [
                .list([.embedded([:]), nil]), .list([.embedded(["inner": .embedded(["day": day])])]), .list([]), nil,
                .list([.embedded(["text": .string(large(70_000))]), .embedded(["number": 1])]),
            ]),
        roundTrip("a missing text is not an empty one", .string, ["", nil]),
        roundTrip(
            "a missing list is not an empty one, nor one with a missing element",
            .list(.int, elementIsRequired: false), [.list([]), nil, .list([nil])]),
        roundTrip("a missing embedded value is not an empty one", .embedded("Inner"), [.embedded([:]), nil]),
        roundTrip("0, false and the empty text are values", .int, [0, nil]),
        roundTrip("a text of 65,535 bytes comes back", .string, [.string(large(65_535))]),
        roundTrip("a text beyond 64 KiB comes back", .string, [.string(large(65_536)), .string(large(200_000)), "x"]),
        roundTrip("a row of a mebibyte comes back", .string, [.string(large(1 << 20)), "x", nil]),
        roundTrip(
            "a list of 20,000 elements comes back", .list(.int, elementIsRequired: true),
            [.list((0..<20_000).map { .int($0) })]),
    ]

    private static func large(_ byteCount: Int) -> String {
        String(repeating: "0123456789", count: byteCount / 10) + String(repeating: "x", count: byteCount % 10)
    }

    private static let reading: [ConformanceCase] = [
        ConformanceCase("get", "rows: a key that no row has gives none", on: schema(.int)) { subject in
            try subject.readBoth { try expect(try $0.record("Holder", "k"), nil, "An empty table.") }
            try subject.save(holder("k1", 1), holder("k3", 3))
            try subject.readBoth { scope in
                for id in ["", "k", "k0", "k2", "k11", "k4"] as [String] {
                    try expect(try scope.record("Holder", RecordID(id)), nil, "There is no row under \(id.rendering).")
                }
            }
        },
        ConformanceCase("get", "rows: an empty table has no rows", on: schema(.int)) { subject in
            try subject.readBoth { scope in
                try expect(try scope.ids("Holder"), [], "An empty table.")
                try expect(try scope.count("Holder"), 0, "An empty table.")
            }
        },
        ConformanceCase("fetch-stops", "rows: fetch ends when its closure returns false", on: schema(.int)) { subject in
            try subject.save((0..<10).map { holder("k\($0)", .int(Int64($0))) })
            try subject.readBoth { scope in
                for sort in [Sort.byKey, Sort([.init("value", isDescending: true)])] {
                    var calls = 0
                    try scope.reader.fetch(try scope.query("Holder", sort: sort)) { _ in
                        calls += 1
                        return calls < 3
                    }
                    try expect(calls, 3, "The closure returned false at its third call.")
                }
            }
        },
        ConformanceCase("fetch-reads", "rows: fetch's closure may read, and its row stays", on: schema(.int)) {
            subject in
            try subject.save((0..<5).map { holder("k\($0)", .int(Int64($0)), after: "a\($0)") })
            try subject.readBoth { scope in
                for sort in [Sort.byKey, Sort([.init("value", isDescending: true)])] {
                    let query = try scope.query("Holder", sort: sort)
                    var seen: [String] = []
                    try scope.reader.fetch(query) { row in
                        let before = try Record(row.row, layout: query.model)
                        try expect(
                            try scope.ids("Holder", where: .field("value", .greater(2))), ["k3", "k4"], "Inside.")
                        try expect(try scope.ids("Holder", sort: sort).count, 5, "The same query, inside itself.")
                        try expect(try scope.record("Holder", "k1")?.id, "k1", "A row by its key, inside.")
                        try expect(try Record(row.row, layout: query.model), before, "The row in hand stays.")
                        seen.append(before.id)
                        return true
                    }
                    try expect(seen.count, 5, "Reading inside does not disturb the order: \(seen).")
                    try expect(Set(seen).count, 5, "Each row comes once: \(seen).")
                }
            }
        },
        ConformanceCase("fetch-stops", "rows: an error of fetch's closure passes through", on: schema(.int)) {
            subject in
            try subject.save(holder("a", 1), holder("b", 2))
            try subject.readBoth { scope in
                do {
                    try scope.reader.fetch(try scope.query("Holder")) { _ in throw RowDamage("thrown on purpose") }
                    try expect("no error", "the closure's error", "Fetch throws the error of the closure.")
                } catch let error as RowDamage {
                    try expect(error.reason, "thrown on purpose", "The closure's own error.")
                }
                try expect(try scope.ids("Holder"), ["a", "b"], "The reader continues after the error.")
            }
        },
        ConformanceCase("row-sequence", "rows: a row knows the event it comes from", on: schema(.int)) { subject in
            try subject.save(holder("a", 1))
            let first = subject.sequence - 1
            try subject.save(holder("b", 1))
            try subject.readBoth { try expect(try $0.sequence("Holder", "a"), SequenceNumber(first), "Row a.") }
            try subject.save(holder("a", 2))
            let second = subject.sequence - 1
            try subject.readBoth { scope in
                try expect(try scope.sequence("Holder", "a"), SequenceNumber(second), "Row a, overwritten.")
                var fetched: [SequenceNumber] = []
                try scope.reader.fetch(try scope.query("Holder")) { stored in
                    fetched.append(stored.sequence)
                    return true
                }
                try expect(fetched, [SequenceNumber(second), SequenceNumber(first + 2)], "Rows a and b from fetch.")
            }
        },
    ]
}
