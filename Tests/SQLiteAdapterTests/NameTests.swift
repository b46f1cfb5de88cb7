import CSQLite
import SeededNumbers
import Testing
@_spi(Adapters) import TidelogCore

@Suite("Every name that a schema allows works")
struct NameTests {
    static let keywords: [String] = (0..<sqlite3_keyword_count()).compactMap { index in
        var name: UnsafePointer<CChar>?
        var count: Int32 = 0
        guard sqlite3_keyword_name(index, &name, &count) == SQLITE_OK, let name else { return nil }
        return String(decoding: UnsafeRawBufferPointer(start: name, count: Int(count)), as: UTF8.self)
    }

    static let names =
        keywords + [
            "rowid", "oid", "_rowid_", "ROWID", "excluded", "EXCLUDED", "main", "temp", "_key", "_KEY", "_sequence",
            "_Sequence", "_meta", "_META", "_auxiliary", "sqlite_master", "sqlite_sequence", "SQLITE_stat1", "sqlite_",
            "due",
            "Due", "due_instant", "DUE_INSTANT", "due_instant_instant", "_key_instant", "name", "value", "key",
            "select",
            "a", "A", "_", "__", "true", "false", "null", "instr", "count", "x1", "X1",
            String(repeating: "n", count: 128), String(repeating: "N", count: 128),
        ]

    /// A schema with a model for every name. The model `excluded` has a field for every name, and every other model has fields
    /// for a few names.
    private static func schema() -> Schema {
        let types: [FieldType] = [.dateTime, .string, .int, .double, .bool]
        let fields = names.enumerated().map { number, name in FieldSchema(name, types[number % 5]) }
        let few = fields.filter { ["due", "due_instant", "SELECT", "select", "_key", "rowid"].contains($0.name) }
        return Schema(
            models: names.map { name in
                ModelSchema(
                    name: name,
                    fields: [FieldSchema("id", .id, isRequired: true)] + (name == "excluded" ? fields : few),
                    indexes: [
                        IndexSchema(name: name, fields: ["due"]), IndexSchema(name: "same", fields: ["due_instant"]),
                        IndexSchema(name: "SAME", fields: ["SELECT", "select"]),
                    ].filter { index in !(index.name == name && name == "same") })
            })
    }

    @Test(
        "SQL keywords, reserved names and names that differ only in case work as models, fields and indexes")
    func nasty() throws {
        #expect(Self.keywords.count > 100)
        let fixture = try Fixture(StoredSchema(first: Self.schema()))
        var random = SeededGenerator(1)
        var rows: [String: EncodedRow] = [:]
        for model in fixture.layout.models {
            var values = try random.values(of: model.schema.fields)
            values["id"] = .string(model.name)
            let row = try EncodedRow(Record(model: model.name, values: values), layout: model)
            rows[model.name] = row
            try fixture.put([row], in: model)
            try fixture.put([row], in: model, existed: true)
        }
        try fixture.reopen()
        try fixture.read { snapshot throws in
            for model in fixture.layout.models {
                let row = try #require(rows[model.name])
                #expect(try snapshot.row(row.key, in: model) == row.bytes, "\(model.name)")
                #expect(try snapshot.rows(try StorageQuery(model: model)).map(\.row) == [row.bytes], "\(model.name)")
            }
        }
    }

    @Test("A comparison with any field, in a query sorted by it, reads that field's own column")
    func fields() throws {
        let fixture = try Fixture(StoredSchema(first: Self.schema()))
        let model = try fixture.model("excluded")
        var random = SeededGenerator(2)
        var records: [Record] = []
        for number in 0..<30 {
            var values = try random.values(of: model.schema.fields)
            values["id"] = .string("r\(number)")
            records.append(Record(model: model.name, values: values))
        }
        let rows = try records.map { try EncodedRow($0, layout: model) }
        try fixture.put(rows, in: model)
        var reference = Reference()
        for row in rows { reference.rows[row.key] = row.bytes }
        try fixture.read { snapshot throws in
            var orderedCount = 0
            for field in model.row.fields {
                let value = try random.value(of: field.type)
                let query = try StorageQuery(
                    model: model, predicate: .field(field.name, .lessOrEqual(value)), sort: Sort([.init(field.name)]))
                let expected = try reference.answer(query).map(\.key)
                #expect(try snapshot.rows(query).map(\.key) == expected, "\(field.name)")
                if expected.count > 1 { orderedCount += 1 }
            }
            #expect(orderedCount > 100)
        }
    }

    @Test("The names of later fields and models do not change the columns of earlier ones")
    func stable() throws {
        func schema(_ models: [(String, [String])]) -> Schema {
            Schema(
                models: models.map { name, fields in
                    ModelSchema(
                        name: name,
                        fields: [FieldSchema("id", .id, isRequired: true)] + fields.map { FieldSchema($0, .dateTime) })
                })
        }
        let moment: FieldValue = "2026-11-21T10:00:00Z"
        let first = StoredSchema(first: schema([("note", ["due_instant"])]))
        let fixture = try Fixture(first)
        try fixture.put(["id": "a", "due_instant": moment], in: "note")
        let second = first.adopting(schema([("Note", ["x"]), ("note", ["Due", "due", "due_instant", "DUE_INSTANT"])]))
        try fixture.prepare(second)
        try fixture.put(["id": "b", "due": moment], in: "note")
        try fixture.put(["id": "c", "x": moment], in: "Note")
        try fixture.reopen()
        let (lower, upper) = (try fixture.model("note"), try fixture.model("Note"))
        try fixture.read { snapshot throws in
            #expect(try snapshot.texts("id", of: lower, where: .field("due_instant", .notEqual(nil))) == ["a"])
            #expect(try snapshot.texts("id", of: lower, where: .field("due", .equal(moment))) == ["b"])
            #expect(try snapshot.texts("id", of: lower, where: .field("Due", .notEqual(nil))) == [])
            #expect(try snapshot.texts("id", of: upper, where: .field("x", .equal(moment))) == ["c"])
        }
    }
}
