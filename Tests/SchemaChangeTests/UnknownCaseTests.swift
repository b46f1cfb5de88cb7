import SeededNumbers
import TestStores
import Testing
@_spi(Adapters) import TidelogRecordJSON

@_spi(Adapters) @testable import Tidelog

/// Texts in enum fields that no schema of the store declares as cases.
@Suite("Unknown enum cases") struct UnknownCaseTests {
    private static let fields = [
        FieldSchema("mood", .enumeration("Mood")),
        FieldSchema("moods", .list(.enumeration("Mood"), elementIsRequired: false)),
        FieldSchema("inner", .embedded("Inner")),
        FieldSchema("inners", .list(.embedded("Inner"), elementIsRequired: true)),
    ]

    private static let schema = Schema(
        models: [
            ModelSchema(
                name: "Day",
                fields: [
                    FieldSchema("kind", .enumeration("Mood"), isRequired: true),
                    FieldSchema("id", .id, isRequired: true),
                ] + fields,
                primaryKey: ["kind", "id"], indexes: [IndexSchema(name: "byMood", fields: ["mood", "id"])])
        ],
        embeddedTypes: [
            EmbeddedSchema(
                name: "Inner",
                fields: [
                    FieldSchema("mood", .enumeration("Mood"), isRequired: true),
                    FieldSchema("moods", .list(.enumeration("Mood"), elementIsRequired: true)),
                ])
        ],
        enums: [EnumSchema(name: "Mood", cases: ["calm", "wild"])])

    private static let texts = [
        "calm", "wild", "late", "", "calm ", "Wild", "\u{0}", "mood\u{0}y", "w\u{E9}", "\u{1F600}",
    ]

    private static func mood(_ random: inout SeededGenerator) -> FieldValue {
        .string(texts[random.below(texts.count)])
    }

    private static func moods(_ random: inout SeededGenerator, missing: Bool) -> FieldValue {
        .list((0..<random.below(4)).map { _ in missing && random.below(4) == 0 ? nil : mood(&random) })
    }

    private static func inner(_ random: inout SeededGenerator) -> FieldValue {
        .embedded(["mood": mood(&random), "moods": moods(&random, missing: false)])
    }

    private static func records(_ random: inout SeededGenerator) -> [Record] {
        (0..<80).map { number in
            var record = Record(model: "Day", values: ["kind": mood(&random), "id": .string("\(number)")])
            if random.below(4) > 0 { record["mood"] = mood(&random) }
            if random.below(4) > 0 { record["moods"] = moods(&random, missing: true) }
            if random.below(4) > 0 { record["inner"] = inner(&random) }
            if random.below(4) > 0 { record["inners"] = .list((0..<random.below(3)).map { _ in inner(&random) }) }
            return record
        }
    }

    private static func id(_ record: Record) -> RecordID { RecordID([record["kind"], record["id"]].compactMap { $0 }) }

    @Test(
        "records with unknown cases are read, saved again and exported unchanged, by every adapter",
        arguments: Adapter.all)
    func kept(adapter: Adapter) async throws {
        var random = SeededGenerator(13)
        let records = Self.records(&random)
        let scratch = try Scratch()
        let store = try await scratch.open(adapter, Self.schema)
        for record in records { try await store.save(record) }
        let hash = try await store.hash()
        let imported = try await scratch.open(adapter, Self.schema, name: "imported")
        let layout = try #require(SchemaLayout(StoredSchema(first: Self.schema)).model(named: "Day"))
        for record in records {
            let found = try #require(try await store.record("Day", id: Self.id(record)))
            #expect(found == record)
            try await store.save(found)
            try await store.write { transaction in
                try transaction.save(try #require(try transaction.record("Day", id: Self.id(record))))
            }
            let json = try found.json(layout: layout)
            #expect(try Record(json: json, layout: layout) == record)
            try await imported.save(Record(json: json, layout: layout))
        }
        #expect(try await store.hash() == hash)
        #expect(try await imported.hash() == hash)
        try await store.checkRows()
        try await store.close()
        try await imported.close()
    }

    @Test(
        "predicates compare unknown cases by their text, also in lists and embedded values, in every adapter",
        arguments: Adapter.all)
    func predicates(adapter: Adapter) async throws {
        var random = SeededGenerator(14)
        let records = Self.records(&random)
        let scratch = try Scratch()
        defer { withExtendedLifetime(scratch) {} }
        let store = try await scratch.open(adapter, Self.schema)
        try await store.write { transaction in for record in records { try transaction.save(record) } }
        for text in Self.texts {
            let value = FieldValue.string(text)
            try await check(store, records, "kind", .equal(value)) { $0["kind"] == value }
            try await check(store, records, "mood", .equal(value)) { $0["mood"] == value }
            try await check(store, records, "mood", .notEqual(value)) { $0["mood"] != value }
            try await check(store, records, "mood", .beginsWith(text)) { record in
                record["mood"]?.bytes?.starts(with: Array(text.utf8)) ?? false
            }
            try await check(store, records, "mood", .less(value)) { record in
                record["mood"]?.bytes?.lexicographicallyPrecedes(text.utf8) ?? false
            }
            try await check(store, records, "moods", .contains(value)) {
                $0["moods"]?.elements.contains(value) ?? false
            }
            try await check(store, records, "moods", .equal(.list([value]))) { $0["moods"] == .list([value]) }
            let inner = FieldValue.embedded(["mood": value, "moods": .list([value])])
            try await store.save(
                Record(
                    model: "Day",
                    values: ["kind": value, "id": "extra", "inner": inner, "inners": .list([inner, inner])]))
            #expect(try await store.fetch(Record.all(of: "Day").where(.field("inner", .equal(inner)))).count > 0)
            #expect(try await store.fetch(Record.all(of: "Day").where(.field("inners", .contains(inner)))).count > 0)
            #expect(
                try await store.fetch(Record.all(of: "Day").where(.field("inners", .equal(.list([inner, inner])))))
                    .count == 1)
            try await store.write { _ = try $0.delete("Day", id: RecordID([value, "extra"])) }
        }
        try await store.close()
    }

    private func check(
        _ store: DataStore, _ records: [Record], _ field: String, _ comparison: QueryPredicate.Comparison,
        _ holds: (Record) -> Bool
    ) async throws {
        let predicate = QueryPredicate.field(field, comparison)
        let found = try await store.fetch(Record.all(of: "Day").where(predicate))
        #expect(Set(found) == Set(records.filter(holds)), "\(predicate.text)")
        #expect(try QueryPredicate(parsing: predicate.text) == predicate)
    }

    @Test(
        "a server's record with unknown cases is kept, and stays the same when it is saved again",
        arguments: Adapter.all)
    func received(adapter: Adapter) async throws {
        let scratch = try Scratch()
        defer { withExtendedLifetime(scratch) {} }
        let store = try await scratch.open(adapter, Self.schema)
        let record = Record(
            model: "Day",
            values: [
                "kind": "wild", "id": "1", "mood": "new", "inner": .embedded(["mood": "new", "moods": .list(["x"])]),
            ]
        )
        try await store.write {
            try $0.append(received: record, server: ServerState(version: 1, lastChangedAt: 2, isDeleted: false))
        }
        let found = try #require(try await store.record("Day", id: Self.id(record)))
        #expect(found == record)
        try await store.save(found)
        #expect(try await store.record("Day", id: Self.id(record)) == record)
        try await store.close()
    }
}

extension FieldValue {
    fileprivate var bytes: [UInt8]? {
        if case .string(let text) = self { Array(text.utf8) } else { nil }
    }

    fileprivate var elements: [FieldValue] {
        if case .list(let values) = self { values.compactMap { $0 } } else { [] }
    }
}
