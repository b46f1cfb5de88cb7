import Testing
@_spi(Adapters) import TidelogCore

@Suite("Transactions are atomic, and snapshots do not change")
struct TransactionTests {
    private static let note = ModelSchema(
        name: "Note", fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("rank", .int)],
        indexes: [IndexSchema(name: "byRank", fields: ["rank"])])
    private let table = AuxiliaryTable(index: 0, name: "versions")

    private func rows(_ model: ModelLayout, _ ids: [String]) throws -> [EncodedRow] {
        try ids.map { try EncodedRow(Record(model: "Note", values: ["id": .string($0), "rank": 1]), layout: model) }
    }

    @Test("A snapshot sees the commits before its opening, and no later commit")
    func isolation() throws {
        let fixture = try Fixture(Self.note)
        let model = try fixture.model("Note")
        try fixture.put(try rows(model, ["a"]), in: model)
        let before = fixture.checkpoint
        // A snapshot begins when it is opened, even if the test does not use it yet.
        let snapshot = try fixture.adapter.snapshot()
        try fixture.put(try rows(model, ["b"]), in: model)
        let transaction = try fixture.adapter.begin()
        try transaction.put(try rows(model, ["c"]), in: model, existed: false)
        #expect(try snapshot.texts("id", of: model) == ["a"])
        #expect(try snapshot.checkpoint() == before)
        #expect(try transaction.texts("id", of: model) == ["a", "b", "c"])
        #expect(try transaction.count(try StorageQuery(model: model, predicate: .field("rank", .equal(1)))) == 3)
        transaction.rollback()
        snapshot.end()
        #expect(try fixture.read { try $0.texts("id", of: model) } == ["a", "b"])
    }

    @Test("A transaction that is rolled back leaves no row and no auxiliary value, and the checkpoint stays as it was")
    func rollback() throws {
        let fixture = try Fixture(Self.note)
        let model = try fixture.model("Note")
        let checkpoint = try fixture.read { try $0.checkpoint() }
        let transaction = try fixture.adapter.begin()
        try transaction.put(try rows(model, ["a"]), in: model, existed: false)
        try transaction.putAuxiliary([1], [2], in: table)
        transaction.rollback()
        try fixture.read { snapshot throws in
            #expect(try snapshot.texts("id", of: model).isEmpty)
            #expect(try snapshot.auxiliary([1], in: table) == nil)
            #expect(try snapshot.checkpoint() == checkpoint)
        }
    }

    @Test("A transaction or a snapshot ends when the last reference to it is gone")
    func dropped() throws {
        let fixture = try Fixture(Self.note)
        let model = try fixture.model("Note")
        for _ in 0..<3 {
            _ = try fixture.adapter.begin()
            _ = try fixture.adapter.snapshot()
        }
        try fixture.put(try rows(model, ["a"]), in: model)
        #expect(try fixture.read { try $0.texts("id", of: model) } == ["a"])
    }

    @Test("Snapshots on several threads have the rows of their checkpoint while a writer commits")
    func threads() async throws {
        let fixture = try Fixture(Self.note)
        let model = try fixture.model("Note")
        let adapter = fixture.adapter
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<6 {
                group.addTask {
                    for _ in 0..<40 {
                        let snapshot = try adapter.snapshot()
                        let checkpoint = try snapshot.checkpoint()
                        let count = try snapshot.count(try StorageQuery(model: model))
                        // Every commit adds one row, so a checkpoint and the rows of the same snapshot fit together.
                        #expect(checkpoint?.sequence.value == UInt64(count) + 1)
                        snapshot.end()
                    }
                }
            }
            for number in 0..<60 { try fixture.put(try rows(model, ["n\(number)"]), in: model) }
            try await group.waitForAll()
        }
    }

    @Test("Auxiliary entries are read in the order of their keys' bytes, separately for each table")
    func auxiliary() throws {
        let fixture = try Fixture(Self.note)
        let other = AuxiliaryTable(index: 1, name: "times")
        let keys: [[UInt8]] = [[], [0], [0, 0], [0, 255], [1], [127], [128], [255], [255, 0]]
        try fixture.write { transaction in
            for key in keys.shuffled() { try transaction.putAuxiliary(key, key + [9], in: table) }
            try transaction.putAuxiliary([5], [], in: other)
            try transaction.putAuxiliary([1], [7], in: table)
            try transaction.deleteAuxiliary([127], in: table)
            try transaction.deleteAuxiliary([126], in: table)
        }
        let expected = keys.filter { $0 != [127] }
        try fixture.read { snapshot throws in
            #expect(try snapshot.auxiliaryKeys(after: nil, in: table) == expected)
            #expect(try snapshot.auxiliaryKeys(after: [0, 0], in: table) == Array(expected[3...]))
            #expect(try snapshot.auxiliaryKeys(after: nil, in: other) == [[5]])
            #expect(try snapshot.auxiliary([5], in: other) == [])
            #expect(try snapshot.auxiliary([1], in: table) == [7])
            #expect(try snapshot.auxiliary([], in: table) == [9])
            #expect(try snapshot.auxiliary([5], in: table) == nil)
        }
    }

    @Test("Clearing removes rows, auxiliary values and the checkpoint, and the adapter stays usable")
    func clear() throws {
        let fixture = try Fixture(Self.note)
        let model = try fixture.model("Note")
        try fixture.write { transaction in
            try transaction.put(try rows(model, ["a", "b"]), in: model, existed: false)
            try transaction.putAuxiliary([1], [2], in: table)
        }
        let old = try fixture.adapter.snapshot()
        try fixture.adapter.clear()
        try fixture.read { snapshot throws in
            #expect(try snapshot.texts("id", of: model).isEmpty)
            #expect(try snapshot.count(try StorageQuery(model: model, predicate: .field("rank", .equal(1)))) == 0)
            #expect(try snapshot.auxiliary([1], in: table) == nil)
            #expect(try snapshot.checkpoint() == nil)
        }
        #expect(try old.texts("id", of: model) == ["a", "b"])
        old.end()
        try fixture.put(try rows(model, ["c"]), in: model)
        #expect(try fixture.read { try $0.texts("id", of: model) } == ["c"])
    }
}

extension AdapterTransaction {
    fileprivate func putAuxiliary(_ key: [UInt8], _ value: [UInt8], in table: AuxiliaryTable) throws {
        try key.withUnsafeBytes { key in try value.withUnsafeBytes { try putAuxiliary(key, $0, in: table) } }
    }

    fileprivate func deleteAuxiliary(_ key: [UInt8], in table: AuxiliaryTable) throws {
        try key.withUnsafeBytes { try deleteAuxiliary($0, in: table) }
    }
}

extension AdapterReader {
    fileprivate func auxiliary(_ key: [UInt8], in table: AuxiliaryTable) throws -> [UInt8]? {
        try key.withUnsafeBytes { try auxiliaryValue($0, in: table).map { Array($0) } }
    }

    fileprivate func auxiliaryKeys(after key: [UInt8]?, in table: AuxiliaryTable) throws -> [[UInt8]] {
        var keys: [[UInt8]] = []
        try auxiliaryEntries(after: key, in: table) { key, _ in
            keys.append(Array(key))
            return true
        }
        return keys
    }
}
