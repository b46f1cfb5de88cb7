@_spi(Adapters) internal import TidelogCore

/// A row that a reader has returned does not change for as long as the contract of `StoredRow` demands.
enum LifetimeCases {
    private static let schema = Schema(models: [
        ModelSchema(
            name: "Item",
            fields: [
                FieldSchema("id", .id, isRequired: true), FieldSchema("group", .int), FieldSchema("text", .string),
            ],
            indexes: [IndexSchema(name: "byGroup", fields: ["group"])])
    ])

    private static let all20 = (0..<20).map { number in
        Record(
            model: "Item",
            values: [
                "id": .string("k\(number + 10)"), "group": .int(Int64(number % 3)),
                // The texts have many lengths, so that no row fits the place of another.
                "text": .string(String(repeating: Character(Unicode.Scalar(UInt8(97 + number))), count: number * 37)),
            ])
    }

    private static let table = Subject.auxiliaryTables[0]

    static let all: [ConformanceCase] = [
        ConformanceCase("row-lifetime", "lifetime: the row of get stays until the next call on its reader", on: schema)
        {
            subject in
            try subject.save(all20)
            try subject.readBoth { scope in
                try scope.withRow("k25") { row in
                    let copy = try Copy(row)
                    // The use of other readers has no effect on this row.
                    try subject.read { other in
                        for record in all20 { _ = try other.record("Item", RecordID(record.id)) }
                        _ = try other.records("Item")
                    }
                    try copy.check(row, "While another reader reads.")
                }
            }
        },
        ConformanceCase(
            "row-lifetime", "lifetime: a row of fetch stays while its closure looks other rows up", on: schema
        ) { subject in
            try checkFetch(subject) { scope in
                for record in all20 { _ = try scope.record("Item", RecordID(record.id)) }
                _ = try scope.record("Item", "nobody")
            }
        },
        ConformanceCase(
            "row-lifetime", "lifetime: a row of fetch stays while its closure asks the same query again", on: schema
        ) { subject in
            try checkFetch(subject) { scope in
                for (predicate, sort) in questions { _ = try scope.records("Item", where: predicate, sort: sort) }
            }
        },
        ConformanceCase(
            "row-lifetime", "lifetime: a row of fetch stays while its closure counts and reads other rows",
            on: schema
        ) { subject in
            try AuxiliaryCases.put(["key": "value"], in: table.index, of: subject)
            try checkFetch(subject) { scope in
                for (predicate, sort) in questions {
                    _ = try scope.count("Item", where: predicate)
                    _ = try scope.reader.plan(scope.query("Item", where: predicate, sort: sort))
                }
                _ = try scope.reader.checkpoint()
                _ = try scope.auxiliary("key", in: table)
                _ = try scope.auxiliaryEntries(in: table)
            }
        },
        ConformanceCase(
            "row-lifetime", "lifetime: rows of fetch stay while three of them are under way", on: schema
        ) { subject in
            try checkFetch(subject) { scope in
                let query = try scope.query("Item", where: .field("group", .equal(1)))
                try scope.reader.fetch(query) { second in
                    let copy = try Copy(second)
                    _ = try scope.records("Item", sort: Sort([.init("text", isDescending: true)]), page: .first(3))
                    try copy.check(second, "The row of the second fetch.")
                    return true
                }
            }
        },
        ConformanceCase(
            "row-lifetime", "lifetime: an auxiliary value stays until the next call on its reader", on: schema
        ) {
            subject in
            try AuxiliaryCases.put(["first": "value of first", "second": "2"], in: table.index, of: subject)
            try subject.readBoth { scope in
                try Array("first".utf8).withUnsafeBytes { key in
                    let value = try scope.reader.auxiliaryValue(key, in: table)
                    try subject.read { _ = try $0.auxiliary("second", in: table) }
                    try expect(
                        value.map { String(decoding: $0, as: UTF8.self) }, "value of first",
                        "While another reader reads.")
                }
            }
        },
    ]

    /// Queries that use the table, an index, or a sort.
    private static let questions: [(QueryPredicate, Sort)] = [
        (.all, .byKey), (.field("group", .equal(1)), .byKey), (.all, Sort([.init("group")])),
        (.field("text", .contains("a")), .byKey), (.all, Sort([.init("text", isDescending: true)])),
    ]

    /// Checks that every row of every query is the same before and after `body`.
    private static func checkFetch(_ subject: Subject, _ body: (ReadScope) throws -> Void) throws {
        try subject.save(all20)
        try subject.readBoth { scope in
            for (predicate, sort) in questions {
                var ids: [String] = []
                let query = try scope.query("Item", where: predicate, sort: sort)
                try scope.reader.fetch(query) { row in
                    let copy = try Copy(row)
                    try body(scope)
                    try copy.check(row, "After the closure read from the same reader.")
                    ids.append(try Record(row.row, layout: query.model).id)
                    return true
                }
                try expect(ids, try scope.ids("Item", where: predicate, sort: sort), "The fetch continues.")
            }
        }
    }
}

/// A copy of a row at the time when it was returned.
private struct Copy {
    private let key: [UInt8]
    private let sequence: SequenceNumber
    private let bytes: [UInt8]

    init(_ row: StoredRow) throws {
        key = Array(row.key)
        sequence = row.sequence
        bytes = Array(row.row.bytes)
    }

    func check(_ row: StoredRow, _ hint: String) throws {
        try expect(Array(row.key), key, hint)
        try expect(row.sequence, sequence, hint)
        try expect(Array(row.row.bytes), bytes, hint)
    }
}

extension ReadScope {
    /// Calls `body` with the row of the record with `id`, as `get` returns it.
    fileprivate func withRow(_ id: RecordID, _ body: (StoredRow) throws -> Void) throws {
        let model = try model("Item")
        try model.withKey(of: id) { key in
            guard let row = try reader.get(key, in: model) else {
                throw ConformanceFailure.Mismatch(expected: "a row", got: "none", hint: "The record was saved.")
            }
            try body(row)
        }
    }
}
