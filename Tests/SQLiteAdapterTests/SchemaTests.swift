import Testing
@_spi(Adapters) import TidelogCore

@Suite("The file is adapted to a new schema and loses nothing")
struct SchemaTests {
    private func note(_ fields: [FieldSchema], indexes: [IndexSchema] = []) -> Schema {
        Schema(
            models: [
                ModelSchema(
                    name: "Note", fields: [FieldSchema("id", .id, isRequired: true)] + fields, indexes: indexes)
            ])
    }

    @Test("New fields are missing in old rows; old values stay; new indexes cover old rows")
    func growth() throws {
        let first = StoredSchema(first: note([FieldSchema("title", .string)]))
        let fixture = try Fixture(first)
        try fixture.put(["id": "a", "title": "one"], in: "Note")
        let second = first.adopting(
            note(
                [FieldSchema("due", .dateTime), FieldSchema("title", .string), FieldSchema("rank", .int)],
                indexes: [IndexSchema(name: "byTitle", fields: ["title"]), IndexSchema(name: "byDue", fields: ["due"])])
        )
        try fixture.prepare(second)
        try fixture.put(["id": "b", "title": "two", "rank": 4, "due": "2026-11-21T10:00:00Z"], in: "Note")
        try fixture.reopen()
        let model = try fixture.model("Note")
        try fixture.read { snapshot throws in
            let query = try StorageQuery(model: model, predicate: .field("title", .equal("one")))
            #expect(try snapshot.plan(query).index == "byTitle")
            #expect(try snapshot.records(query).map(\.values) == [["id": "a", "title": "one"]])
            #expect(try snapshot.texts("id", of: model, sort: Sort([.init("due")])) == ["a", "b"])
            #expect(try snapshot.texts("id", of: model, where: .field("rank", .notEqual(nil))) == ["b"])
        }
    }

    @Test("A dropped field's values stay until their row is put again")
    func dropped() throws {
        let first = StoredSchema(
            first: note(
                [FieldSchema("title", .string), FieldSchema("rank", .int)],
                indexes: [IndexSchema(name: "byRank", fields: ["rank"])]))
        let fixture = try Fixture(first)
        for id in ["a", "b", "c"] { try fixture.put(["id": .string(id), "title": "t", "rank": 4], in: "Note") }
        let second = first.adopting(note([FieldSchema("title", .string)]))
        try fixture.prepare(second)
        try fixture.put(["id": "b", "title": "u"], in: "Note", existed: true)
        try fixture.put(["id": "c", "title": "u"], in: "Note")
        try fixture.prepare(second.adopting(first.declared))
        let model = try fixture.model("Note")
        try fixture.read { snapshot throws in
            #expect(try snapshot.texts("id", of: model, where: .field("rank", .equal(4))) == ["a"])
            #expect(try snapshot.texts("title", of: model) == ["t", "u", "u"])
        }
    }

    @Test("An index whose fields change is recreated, and an index that the new schema lacks is dropped")
    func indexes() throws {
        let fields = [FieldSchema("title", .string), FieldSchema("rank", .int)]
        let first = StoredSchema(first: note(fields, indexes: [IndexSchema(name: "own", fields: ["title"])]))
        let fixture = try Fixture(first)
        let second = first.adopting(note(fields, indexes: [IndexSchema(name: "own", fields: ["rank", "title"])]))
        try fixture.prepare(second)
        let byRank = try StorageQuery(model: try fixture.model("Note"), predicate: .field("rank", .equal(1)))
        #expect(try fixture.read { try $0.plan(byRank).index } == "own")
        try fixture.prepare(second.adopting(note(fields)))
        let columns = try PlainSQLite(fixture.directory.file).rows(
            "SELECT name FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL")
        #expect(columns.isEmpty)
    }

    @Test("A schema change that is rolled back leaves the file and later transactions as they were")
    func rollback() throws {
        let first = StoredSchema(first: note([FieldSchema("title", .string)]))
        let fixture = try Fixture(first)
        try fixture.put(["id": "a", "title": "one"], in: "Note")
        let second = SchemaLayout(first.adopting(note([FieldSchema("title", .string), FieldSchema("rank", .int)])))
        let transaction = try fixture.adapter.begin()
        try transaction.prepare(second, auxiliaryTables: [])
        transaction.rollback()
        try fixture.put(["id": "b", "title": "two"], in: "Note")
        let model = try fixture.model("Note")
        #expect(try fixture.read { try $0.texts("title", of: model) } == ["one", "two"])
        #expect(
            try PlainSQLite(fixture.directory.file).columns(of: "Note").map(\.name) == [
                "_key", "_sequence", "id", "title",
            ])
    }

    @Test("A new type for a field is refused if its values would be stored differently")
    func retyped() throws {
        let first = StoredSchema(first: note([FieldSchema("title", .string)]))
        let fixture = try Fixture(first)
        let error = #expect(throws: DataStoreError.self) {
            try fixture.prepare(first.adopting(note([FieldSchema("title", .int)])))
        }
        #expect(error?.code == .invalidSchema)
    }

    @Test("A snapshot of a file without the model's table has no rows of the model")
    func missingTable() throws {
        let fixture = try Fixture(StoredSchema(first: note([FieldSchema("title", .string)])))
        let other = SchemaLayout(
            StoredSchema(
                first: Schema(models: [ModelSchema(name: "Other", fields: [FieldSchema("id", .id, isRequired: true)])]))
        )
        try fixture.read { snapshot throws in
            let query = try StorageQuery(model: other.models[0])
            #expect(try snapshot.rows(query).isEmpty)
            #expect(try snapshot.count(query) == 0)
            #expect(try snapshot.row([1], in: other.models[0]) == nil)
        }
    }

    @Test("A model with 1,000 temporal fields fits into its table, and so do later fields that replace some of them")
    func manyFields() throws {
        func schema(_ numbers: Range<Int>) -> Schema {
            note(numbers.map { FieldSchema("f\($0)", $0 % 2 == 0 ? .dateTime : .date) })
        }
        let first = StoredSchema(first: schema(1..<1_000))
        let fixture = try Fixture(first)
        try fixture.put(["id": "a", "f998": "2026-11-21T10:00:00Z", "f999": "2026-11-21"], in: "Note")
        try fixture.put(["id": "b", "f998": "2026-11-21T13:00:00+02:00"], in: "Note")
        var model = try fixture.model("Note")
        let later = QueryPredicate.field("f998", .greater("2026-11-21T10:00:00Z"))
        try fixture.read { snapshot throws in
            #expect(try snapshot.texts("id", of: model, sort: Sort([.init("f998", isDescending: true)])) == ["b", "a"])
            #expect(try snapshot.texts("id", of: model, where: later) == ["b"])
        }
        try fixture.prepare(first.adopting(schema(20..<1_010)))
        try fixture.put(["id": "c", "f1001": "2026-11-21"], in: "Note")
        model = try fixture.model("Note")
        try fixture.read { snapshot throws in
            #expect(try snapshot.texts("id", of: model, where: .field("f1001", .notEqual(nil))) == ["c"])
            #expect(try snapshot.texts("id", of: model, where: later) == ["b"])
        }
        #expect(try PlainSQLite(fixture.directory.file).columns(of: "Note").count < 2_000)
    }
}
