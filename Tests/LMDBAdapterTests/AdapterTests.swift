import FaultHarness
import Testing
@_spi(Adapters) import TidelogCore
import TidelogLMDB

@_spi(Adapters) @testable import TidelogLMDBAdapter

@Suite("LMDB adapter: files, schema and transactions")
struct AdapterTests {
    static func schema(_ fields: [FieldSchema], _ indexes: [IndexSchema]) -> Schema {
        Schema(
            models: [
                ModelSchema(
                    name: "Note", fields: [FieldSchema("id", .id, isRequired: true)] + fields, indexes: indexes)
            ])
    }

    static let first = StoredSchema(
        first: schema(
            [FieldSchema("text", .string), FieldSchema("rank", .int)],
            [
                IndexSchema(name: "byRank", fields: ["rank"])
            ]))

    static func note(_ id: Int, _ rank: Int64? = nil, _ text: String = "") -> Record {
        var record = Record(model: "Note", values: ["id": .string("\(id)"), "text": .string(text)])
        record["rank"] = rank.map(FieldValue.int)
        return record
    }

    let scratch: Scratch
    let layout = SchemaLayout(first)
    var model: ModelLayout { layout.models[0] }

    init() throws { scratch = try Scratch() }

    private func filled(_ count: Int = 10) throws -> LMDBAdapter {
        let adapter = try scratch.open()
        try adapter.write(1) { transaction in
            try transaction.prepare(layout, auxiliaryTables: [AuxiliaryTable(index: 0, name: "seen")])
            try transaction.apply((0..<count).map { .put(Self.note($0, Int64($0 % 3))) }, to: model)
        }
        return adapter
    }

    private func ids(
        _ reader: any AdapterReader, _ predicate: QueryPredicate = .all, _ sort: Sort = .byKey,
        in model: ModelLayout? = nil
    ) throws -> [String] {
        let query = try StorageQuery(model: model ?? self.model, predicate: predicate, sort: sort)
        return try reader.records(query).map { record in
            guard case .string(let id)? = record["id"] else { return "" }
            return id
        }
    }

    /// The number of auxiliary rows in `table`.
    private func auxiliaryCount(_ reader: any AdapterReader, in table: AuxiliaryTable) throws -> Int {
        var count = 0
        try reader.auxiliaryEntries(after: nil, in: table) { _, _ in
            count += 1
            return true
        }
        return count
    }

    /// The keys of the entries of the model's index, in their order.
    private func indexEntries(_ reader: any AdapterReader) throws -> [[UInt8]] {
        let reader = try #require(reader as? LMDBReader)
        let index = try #require(reader.keyspaces.indexes(model).list.first)
        let cursor = try reader.transaction.cursor(index.keyspace)
        var entries: [[UInt8]] = []
        var entry = try cursor.first()
        while let current = entry {
            entries.append(Array(current.key))
            entry = try cursor.next()
        }
        return entries
    }

    @Test("Rows, checkpoint and auxiliary rows can be read after reopening")
    func reopening() throws {
        let seen = AuxiliaryTable(index: 0, name: "seen")
        let adapter = try filled()
        try adapter.write(2) { transaction in
            try [1, 2].withUnsafeBytes { try transaction.putAuxiliary($0, $0, in: seen) }
        }
        try adapter.close()
        let again = try scratch.open()
        defer { try? again.close() }
        try again.read { snapshot throws in
            #expect(try snapshot.checkpoint() == checkpoint(2))
            #expect(try ids(snapshot).count == 10)
            #expect(try ids(snapshot, .field("rank", .equal(2))) == ["2", "5", "8"])
            #expect(
                try snapshot.plan(StorageQuery(model: model, predicate: .field("rank", .equal(2)))).index == "byRank")
            // The adapter finds a table by its name, so another index gives the same table.
            for index in [0, 7] {
                let table = AuxiliaryTable(index: index, name: "seen")
                #expect(try [1, 2].withUnsafeBytes { try snapshot.auxiliaryValue($0, in: table)?.count } == 16)
            }
        }
    }

    @Test("Ended snapshots and transactions of a closed adapter hold no file open, even while they are referenced")
    func endedReaders() throws {
        let adapter = try filled()
        let snapshot = try adapter.snapshot()
        snapshot.end()
        let transactions = try (2..<4).map { sequence in
            let transaction = try adapter.begin()
            if sequence == 2 { transaction.rollback() } else { try transaction.commit(checkpoint: checkpoint(3)) }
            return transaction
        }
        try adapter.close()
        let again = try scratch.open()
        #expect(try again.read { try $0.checkpoint() } == checkpoint(3))
        try again.close()
        withExtendedLifetime((adapter, snapshot, transactions)) {}
    }

    @Test("A snapshot sees no commit after its opening, and a transaction sees its own writes")
    func isolation() throws {
        let adapter = try filled(2)
        defer { try? adapter.close() }
        let before = try adapter.snapshot()
        let transaction = try adapter.begin()
        try transaction.apply([.put(Self.note(7, 1)), .delete(Self.note(0))], to: model)
        #expect(try ids(transaction, .field("rank", .equal(1))) == ["1", "7"])
        #expect(try ids(before) == ["0", "1"])
        try transaction.commit(checkpoint: checkpoint(2))
        #expect(try ids(before) == ["0", "1"])
        before.end()
        #expect(try adapter.read { try ids($0) } == ["1", "7"])
    }

    @Test("A rollback discards the changes of its transaction, and does nothing after a rollback or a commit")
    func rollback() throws {
        let adapter = try filled(2)
        defer { try? adapter.close() }
        let transaction = try adapter.begin()
        try transaction.prepare(
            SchemaLayout(Self.first.adopting(Self.schema([FieldSchema("text", .string)], []))), auxiliaryTables: [])
        try transaction.apply([.put(Self.note(5))], to: model)
        transaction.rollback()
        transaction.rollback()
        try adapter.write(2) { try $0.apply([.put(Self.note(6, 0))], to: model) }
        #expect(try adapter.read { try ids($0, .field("rank", .equal(0))) } == ["0", "6"])
        let committed = try adapter.begin()
        try committed.apply([.put(Self.note(7, 0))], to: model)
        try committed.commit(checkpoint: checkpoint(3))
        committed.rollback()
        try adapter.read { snapshot throws in
            #expect(try ids(snapshot, .field("rank", .equal(0))) == ["0", "6", "7"])
            #expect(try snapshot.checkpoint() == checkpoint(3))
        }
    }

    @Test("A change of an indexed field moves the index entry, and any other change leaves it in its place")
    func updates() throws {
        let adapter = try filled(3)
        defer { try? adapter.close() }
        let before = try adapter.read { try indexEntries($0) }
        #expect(before.count == 3)
        try adapter.write(2) { transaction in
            let waiting = try #require(transaction as? LMDBTransaction).scratch
            try transaction.apply([.put(Self.note(0, 0, "x"))], to: model)
            #expect(waiting.changes[0].entries.isEmpty)
            try transaction.apply([.put(Self.note(1, 9)), .put(Self.note(2))], to: model)
            #expect(waiting.changes[0].entries.count == 4)
        }
        let after = try adapter.read { try indexEntries($0) }
        // The entry of the second changed row is first, because its field is missing now.
        #expect(after.map { before.firstIndex(of: $0) } == [nil, 0, nil])
        try adapter.read { snapshot throws in
            #expect(
                try ids(snapshot, .field("rank", .between(0, 9)), Sort([.init("rank", isDescending: true)])) == [
                    "1", "0",
                ])
            #expect(try ids(snapshot, .field("rank", .equal(nil))) == ["2"])
            #expect(try snapshot.count(StorageQuery(model: model, predicate: .field("rank", .notEqual(nil)))) == 2)
        }
    }

    @Test("An index that a later schema adds, changes, or drops and adds again has exactly the rows of the table")
    func schemaGrowth() throws {
        let adapter = try filled(200)
        defer { try? adapter.close() }
        let fields = [FieldSchema("text", .string), FieldSchema("rank", .int), FieldSchema("score", .double)]
        let both = Self.first.adopting(
            Self.schema(
                fields,
                [
                    IndexSchema(name: "byRank", fields: ["rank"]),
                    IndexSchema(name: "byScore", fields: ["score", "rank"]),
                ]))
        let other = both.adopting(Self.schema(fields, [IndexSchema(name: "byScore", fields: ["rank", "score"])]))
        let back = other.adopting(
            Self.schema(
                fields,
                [
                    IndexSchema(name: "byRank", fields: ["rank"]),
                    IndexSchema(name: "byScore", fields: ["rank", "score"]),
                ]))
        let old = try adapter.snapshot()
        for (version, stored) in [both, other, back].enumerated() {
            let layout = SchemaLayout(stored)
            let model = layout.models[0]
            let new = 1_000 + version
            try adapter.write(UInt64(version) + 2) { transaction in
                try transaction.prepare(layout, auxiliaryTables: [])
                try transaction.apply([.put(Self.note(new, 77))], to: model)
                #expect(try ids(transaction, .field("rank", .equal(77)), in: model).count == version + 1)
            }
            try adapter.read { snapshot throws in
                for index in model.indexes {
                    let query = try StorageQuery(
                        model: model, sort: Sort(index.fields.map { Sort.Key($0.name) }), page: .first(1_000))
                    #expect(try snapshot.plan(query).index == index.name)
                    #expect(try snapshot.records(query).count == 201 + version)
                }
                #expect(try ids(snapshot, .field("rank", .equal(77)), in: model).count == version + 1)
            }
            // The old snapshot does not have the new index, and must still answer a query with the new layout.
            #expect(try ids(old, .field("score", .equal(nil)), Sort([.init("rank")]), in: model).count == 200)
        }
        old.end()
    }

    @Test("Clearing removes rows, index entries, auxiliary rows and the checkpoint, and the tables stay usable")
    func clearing() throws {
        let seen = AuxiliaryTable(index: 0, name: "seen")
        let adapter = try filled()
        defer { try? adapter.close() }
        try adapter.write(2) { transaction in
            try [1, 2].withUnsafeBytes { try transaction.putAuxiliary($0, $0, in: seen) }
        }
        #expect(try adapter.read { try auxiliaryCount($0, in: seen) } == 1)
        try adapter.clear()
        try adapter.read { snapshot throws in
            #expect(try auxiliaryCount(snapshot, in: seen) == 0)
            #expect(try indexEntries(snapshot) == [])
            #expect(try snapshot.checkpoint() == nil)
            #expect(try snapshot.count(StorageQuery(model: model)) == 0)
            #expect(try snapshot.count(StorageQuery(model: model, predicate: .field("rank", .between(0, 9)))) == 0)
        }
        try adapter.write(1) { transaction in
            try transaction.apply([.put(Self.note(3, 3))], to: model)
            try [3].withUnsafeBytes { try transaction.putAuxiliary($0, $0, in: seen) }
        }
        try adapter.read { snapshot throws in
            #expect(try ids(snapshot, .field("rank", .equal(3))) == ["3"])
            #expect(try auxiliaryCount(snapshot, in: seen) == 1)
        }
    }

    @Test("A descending scan gives rows with equal fields in ascending order of their keys")
    func descendingTies() throws {
        let adapter = try filled(400)
        defer { try? adapter.close() }
        let sort = Sort([.init("rank", isDescending: true)])
        try adapter.read { snapshot throws in
            let all = try ids(snapshot, .all, sort)
            let expected = [2, 1, 0].flatMap { rank in (0..<400).filter { $0 % 3 == rank }.map { "\($0)" }.sorted() }
            #expect(all == expected)
            let page = try StorageQuery(model: model, sort: sort, page: Page(offset: 130, limit: 10))
            #expect(try snapshot.plan(page).summary == "index byRank, descending")
            #expect(try snapshot.records(page).compactMap { $0["id"] } == expected[130..<140].map(FieldValue.string))
        }
    }

    @Test("An error that the receiver of rows throws stops the scan and arrives unchanged")
    func receiverFailure() throws {
        struct Refusal: Error {}
        let adapter = try filled()
        defer { try? adapter.close() }
        var seen = 0
        #expect(throws: Refusal.self) {
            try adapter.read { snapshot throws in
                try snapshot.fetch(StorageQuery(model: model)) { _ in
                    seen += 1
                    throw Refusal()
                }
            }
        }
        #expect(seen == 1)
    }

    @Test("A row that is cut short is reported as damage by every query that reads it")
    func damage() throws {
        try filled(3).close()
        let key = try EncodedRow(Self.note(1), layout: model).key
        try overwrite(key, with: [UInt8](repeating: 1, count: 7))
        let adapter = try scratch.open()
        defer { try? adapter.close() }
        let isDamaged: (any Error) -> Bool = { ($0 as? DataStoreError)?.code == .damaged }
        try adapter.read { snapshot throws in
            #expect(performing: { _ = try ids(snapshot) }, throws: isDamaged)
            #expect(performing: { _ = try ids(snapshot, .field("rank", .equal(1))) }, throws: isDamaged)
            #expect(performing: { try key.withUnsafeBytes { _ = try snapshot.get($0, in: model) } }, throws: isDamaged)
            #expect(try ids(snapshot, .field("rank", .equal(2))) == ["2"])
        }
    }

    private func overwrite(_ key: [UInt8], with value: [UInt8]) throws {
        let environment = try Environment(directory: scratch.path, options: .init(mapSize: 1 << 30))
        defer { environment.close() }
        let transaction = try environment.beginWrite()
        let table = try transaction.openKeyspace(named: "m1", create: false)
        try key.withUnsafeBytes { key in try value.withUnsafeBytes { try transaction.put(table, key, $0) } }
        try transaction.commit()
    }

    #if os(Linux)
        @Test("A large number in damaged layouts does not make the adapter allocate memory", arguments: [false, true])
        func damagedLayouts(isAuxiliary: Bool) async throws {
            try filled(3).close()
            let environment = try Environment(directory: scratch.path, options: .init(mapSize: 1 << 30))
            let transaction = try environment.beginWrite()
            var layouts = StoredLayouts()
            layouts.models = isAuxiliary ? [1] : [.max]
            if isAuxiliary {
                layouts.auxiliary = [.init(index: .max, name: "far")]
                _ = try transaction.openKeyspace(named: "a.far", create: true)
            }
            try transaction.put(layouts, in: try transaction.openKeyspace(named: "meta", create: false))
            try transaction.commit()
            environment.close()
            await #expect(processExitsWith: .success) { [path = scratch.path as String] in
                try limitMemory(toAdditional: 3 << 30)
                do {
                    try LMDBAdapter(directory: path, mapSize: 1 << 30).close()
                } catch let error as DataStoreError {
                    #expect(error.code == .damaged)
                }
            }
        }
    #endif

    @Test("A read-only adapter refuses to write")
    func readOnly() throws {
        try filled().close()
        let adapter = try scratch.open(isReadOnly: true)
        defer { try? adapter.close() }
        #expect(performing: { _ = try adapter.begin() }, throws: { ($0 as? DataStoreError)?.code == .readOnly })
        #expect(try adapter.read { try ids($0) }.count == 10)
    }

    @Test("A read-only adapter sees another process's writes, also in tables and indexes made after its opening")
    func readOnlyBesideWriter() async throws {
        let adapter = try filled(3)
        try adapter.close()
        let reader = try scratch.open(isReadOnly: true)
        defer { try? reader.close() }
        let before = try reader.snapshot()
        #expect(try ids(before) == ["0", "1", "2"])
        await #expect(processExitsWith: .success) { [path = scratch.path as String] in
            let writer = try LMDBAdapter(directory: path, mapSize: 1 << 30)
            let layout = SchemaLayout(Self.grown)
            try writer.write(2) { transaction in
                try transaction.prepare(layout, auxiliaryTables: [AuxiliaryTable(index: 1, name: "later")])
                try transaction.apply([.put(Self.note(7, 7, "x"))], to: layout.models[0])
                try transaction.apply([.put(Record(model: "Other", values: ["id": "o"]))], to: layout.models[1])
            }
            try writer.close()
        }
        let layout = SchemaLayout(Self.grown)
        for _ in 0..<2 {
            try reader.read { snapshot throws in
                let query = try StorageQuery(model: layout.models[0], predicate: .field("text", .equal("x")))
                #expect(try snapshot.plan(query).index == "byText")
                #expect(try snapshot.records(query).count == 1)
                #expect(try snapshot.count(StorageQuery(model: layout.models[1])) == 1)
                #expect(try snapshot.checkpoint() == checkpoint(2))
            }
        }
        #expect(try ids(before, .field("text", .equal("")), in: layout.models[0]) == ["0", "1", "2"])
        before.end()
    }

    private static var grown: StoredSchema {
        var schema = schema(
            [FieldSchema("text", .string), FieldSchema("rank", .int)],
            [
                IndexSchema(name: "byRank", fields: ["rank"]), IndexSchema(name: "byText", fields: ["text"]),
            ])
        schema.models.append(ModelSchema(name: "Other", fields: [FieldSchema("id", .id, isRequired: true)]))
        return first.adopting(schema)
    }

    @Test("Snapshots on several threads see only whole commits while a transaction writes")
    func threads() async throws {
        let adapter = try filled(100)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<100 {
                        let count = try adapter.read { try $0.count(StorageQuery(model: self.model)) }
                        #expect(count >= 100 && count % 10 == 0)
                    }
                }
            }
            for round in 0..<20 {
                try adapter.write { transaction in
                    try transaction.apply((0..<10).map { .put(Self.note(1_000 + round * 10 + $0, 1)) }, to: model)
                }
            }
            try await group.waitForAll()
        }
        try adapter.close()
    }
}
