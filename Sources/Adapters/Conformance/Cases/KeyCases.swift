@_spi(Adapters) internal import TidelogCore

/// Keys of every type find their rows and sort them by the keys' bytes.
enum KeyCases {
    static let all: [ConformanceCase] = SampleType.all.map(keyType) + texts + composite

    private static func keyType(_ sample: SampleType) -> ConformanceCase {
        let schema = Schema(
            models: [
                ModelSchema(
                    name: "Keyed",
                    fields: [FieldSchema("key", sample.type, isRequired: true), FieldSchema("rank", .int)],
                    primaryKey: ["key"])
            ], enums: [SampleType.statusEnum])
        return ConformanceCase(
            "key-order", "keys: rows with keys of type \(sample.name) stand in their order", on: schema
        ) { subject in
            let values = sample.values
            try subject.save(
                values.enumerated().reversed().map { rank, value in
                    Record(model: "Keyed", values: ["key": value, "rank": .int(Int64(rank))])
                })
            try subject.readBoth { scope in
                for (rank, value) in values.enumerated() {
                    try expect(
                        try scope.record("Keyed", RecordID([value]))?.values["rank"], .int(Int64(rank)),
                        "The row under \(value.rendering).")
                }
                let found = try scope.records("Keyed").map { $0.values["rank"]?.rendering ?? "missing" }
                if case .id = sample.type {
                    try expect(found.count, values.count, "All rows.")  // In keys, UUIDs come first.
                } else {
                    try expect(found, values.indices.map { "\($0)" }, "The rows in the order of their keys.")
                }
            }
            try subject.delete("Keyed", [RecordID([values[0]])])
            try subject.readBoth { scope in
                try expect(try scope.record("Keyed", RecordID([values[0]])) == nil, true, "The first row, deleted.")
                try expect(try scope.count("Keyed"), values.count - 1, "The others.")
            }
        }
    }

    private static let single = Schema(models: [
        ModelSchema(
            name: "Thing", fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("rank", .int)],
            indexes: [IndexSchema(name: "byRank", fields: ["rank"])])
    ])

    /// A case that saves rows under `ids`, which are in the order of their keys, and then finds each row.
    private static func ids(_ name: String, _ ids: [String]) -> ConformanceCase {
        ConformanceCase("key-bytes", "keys: \(name)", on: single) { subject in
            try subject.save(
                ids.enumerated().reversed().map { rank, id in
                    Record(model: "Thing", values: ["id": .string(id), "rank": .int(Int64(rank))])
                })
            try subject.readBoth { scope in
                try expect(try scope.ids("Thing").map(\.rendering), ids.map(\.rendering), "The order of the keys.")
                for (rank, id) in ids.enumerated() {
                    try expect(
                        try scope.record("Thing", RecordID(id))?.values["rank"], .int(Int64(rank)),
                        "The row under \(id.rendering).")
                    try expect(
                        try scope.ids("Thing", where: .field("rank", .equal(.int(Int64(rank))))).map(\.rendering),
                        [id.rendering], "The row found by its rank.")
                    try expect(
                        try scope.ids("Thing", where: .field("id", .equal(.string(id)))).map(\.rendering),
                        [id.rendering], "The row found by a predicate on its id.")
                    try expect(
                        try scope.ids("Thing", after: RecordID(id)).map(\.rendering),
                        ids[(rank + 1)...].map(\.rendering), "The rows after \(id.rendering).")
                }
            }
            try subject.delete("Thing", ids.enumerated().filter { $0.offset % 2 == 0 }.map { RecordID($0.element) })
            try subject.readBoth { scope in
                try expect(
                    try scope.ids("Thing").map(\.rendering),
                    ids.enumerated().filter { $0.offset % 2 == 1 }.map(\.element.rendering), "Every other row is left.")
            }
        }
    }

    private static let uuid = "6ba7b810-9dad-11d1-80b4-00c04fd430c8"

    private static let texts: [ConformanceCase] = [
        ids(
            "a UUID in lower case, in upper case and in both are three keys",
            [
                "00000000-0000-0000-0000-000000000000", uuid, "6ba7b810-9dad-11d1-80b4-00c04fd430c9",
                "ffffffff-ffff-ffff-ffff-ffffffffffff", "6BA7B810-9DAD-11D1-80B4-00C04FD430C8",
                "6BA7b810-9dad-11d1-80b4-00c04fd430c8", "6ba7b810-9dad-11d1-80b4-00c04fd430c8 ",
                "6ba7b8109dad11d180b400c04fd430c8",
            ]),
        ids("the empty text is a key", ["", "a"]),
        ids(
            "U+0000 is part of a key",
            ["", "\u{0}", "\u{0}\u{0}", "\u{0}a", "a", "a\u{0}", "a\u{0}\u{0}", "a\u{0}b", "b"]),
        ids("a key may be the beginning of another", ["a", "aa", "aaa", "aab", "ab"]),
        ids(
            "keys of 255 bytes differ in their last",
            ["a", "b", "c"].map { String(repeating: "x", count: 252) + $0 }),
        ids(
            "composed and decomposed letters are two keys", ["e", "e\u{301}", "f", "\u{E9}", "\u{FFFD}", "\u{1F600}"]),
        ids("case and quotes are part of a key", ["\"", "%", "'", "''", "*", ";", "A", "B", "\\", "_", "a", "b"]),
        ids("digits are text in a key", ["1", "10", "2", "20", "9"]),
    ]

    private static let pair = Schema(models: [
        ModelSchema(
            name: "Pair",
            fields: [
                FieldSchema("first", .string, isRequired: true), FieldSchema("second", .string, isRequired: true),
                FieldSchema("number", .int, isRequired: true), FieldSchema("rank", .int),
            ], primaryKey: ["first", "second", "number"])
    ])

    private static let composite: [ConformanceCase] = [
        ConformanceCase("composite-key", "keys: the parts of a composite key do not run together", on: pair) {
            subject in
            let keys: [[FieldValue]] = [
                ["", "", 0], ["", "a", 0], ["", "ab", 0], ["a", "", 0], ["a", "b", 0], ["a", "bc", 0],
                ["a\u{0}", "", 0], ["a\u{0}", "b", 0], ["ab", "", 0], ["ab", "c", 0],
            ]
            try check(keys, subject)
        },
        ConformanceCase("composite-key", "keys: a composite key orders by its parts in turn", on: pair) { subject in
            let keys: [[FieldValue]] = [
                ["a", "a", -1], ["a", "a", 0], ["a", "a", 1], ["a", "a", 256], ["a", "b", -1], ["a", "b", 0],
                ["b", "a", .int(.min)], ["b", "a", .int(.max)],
            ]
            try check(keys, subject)
        },
    ]

    /// Saves rows under `keys`, which are in their order, and then finds each row.
    private static func check(_ keys: [[FieldValue]], _ subject: Subject) throws {
        try subject.save(
            keys.enumerated().reversed().map { rank, key in
                Record(
                    model: "Pair",
                    values: ["first": key[0], "second": key[1], "number": key[2], "rank": .int(Int64(rank))])
            })
        try subject.readBoth { scope in
            try expect(
                try scope.records("Pair").map { $0.values["rank"]?.rendering }, keys.indices.map { "\($0)" },
                "The order of the keys.")
            for (rank, key) in keys.enumerated() {
                try expect(
                    try scope.record("Pair", RecordID(key))?.values["rank"], .int(Int64(rank)),
                    "The row under \(key.map(\.rendering)).")
                try expect(
                    try scope.records("Pair", after: RecordID(key)).count, keys.count - rank - 1,
                    "The rows after \(key.map(\.rendering)).")
                let byFirst = QueryPredicate.field("first", .equal(key[0])) && .field("second", .equal(key[1]))
                try expect(
                    try scope.records("Pair", where: byFirst).count,
                    keys.count { $0[0] == key[0] && $0[1] == key[1] }, "The rows with these first parts.")
            }
        }
        try subject.delete("Pair", [RecordID(keys[2])])
        try subject.readBoth { scope in
            try expect(try scope.count("Pair"), keys.count - 1, "One row was deleted.")
            try expect(try scope.record("Pair", RecordID(keys[2])) == nil, true, "The deleted row.")
        }
    }
}
