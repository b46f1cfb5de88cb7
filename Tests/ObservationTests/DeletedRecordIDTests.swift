import TestStores
import Testing
import Tidelog

@_spi(Adapters) @testable import TidelogCore

@Suite("Ids of deleted records", .timeLimit(.minutes(5)))
struct DeletedRecordIDTests {
    /// A model whose key has a text and one temporal of each type.
    private static let schema = Schema(models: [
        ModelSchema(
            name: "Shift",
            fields: [
                FieldSchema("room", .id, isRequired: true), FieldSchema("day", .date, isRequired: true),
                FieldSchema("from", .time, isRequired: true), FieldSchema("booked", .dateTime, isRequired: true),
                FieldSchema("note", .string),
            ], primaryKey: ["room", "day", "from", "booked"]),
        Note.schema,
    ])

    /// Texts of the temporals in an id. ``otherZone`` has texts of the same instants.
    private static let zoned = (
        day: "2026-11-24+02:00", from: "10:30:00.500+02:00", booked: "2026-11-01T10:00:00.10+02:00"
    )
    private static let otherZone = (day: "2026-11-24+02:00", from: "08:30:00.5Z", booked: "2026-11-01T08:00:00.1Z")

    private static func id(
        _ room: String, _ texts: (day: String, from: String, booked: String) = zoned
    ) throws -> RecordID {
        RecordID([
            .string(room), .date(try Temporal.Date(texts.day)), .time(try Temporal.Time(texts.from)),
            .dateTime(try Temporal.DateTime(texts.booked)),
        ])
    }

    private static func shift(_ id: RecordID, _ note: String = "") -> Record {
        let names = ["room", "day", "from", "booked"]
        var values = Dictionary(uniqueKeysWithValues: zip(names, id.components))
        values["note"] = .string(note)
        return Record(model: "Shift", values: values)
    }

    /// The last `count` events of the log.
    private func lastEvents(_ count: UInt64, in store: DataStore) async throws -> [Event] {
        let start = SequenceNumber(try store.head.sequence.value - count)
        return try await read(Int(count), of: store.events(after: start))
    }

    @Test(
        "a deleted record's id has the texts that its last row had, in events, changes and histories",
        arguments: ["memory", "lmdb", "sqlite"])
    func texts(adapter: String) async throws {
        try await withStore(adapter, Self.schema) { store in
            let (first, second) = (try Self.id("1"), try Self.id("1", Self.otherZone))
            var changes = store.changes(of: Record.all(of: "Shift")).makeAsyncIterator()
            try await store.save(Self.shift(first))
            try await store.delete("Shift", id: first)
            // This saves the same record with other texts of the same instants.
            try await store.save(Self.shift(first, "again"))
            try await store.save(Self.shift(second))
            try await store.delete("Shift", id: first)
            try await store.write { transaction in
                try transaction.save(Self.shift(first))
                try transaction.delete("Shift", id: second)
            }
            let expected = [first, first, first, second, second, first, first]
            let texts = expected.map(\.texts)
            let events = try await lastEvents(7, in: store)
            #expect(events.map { $0.recordID?.texts } == texts)
            #expect(events.map(\.kind) == [.saved, .deleted, .saved, .saved, .deleted, .saved, .deleted])
            let history = try await store.history(of: "Shift", id: second)
            #expect(history.events.map { $0.recordID?.texts } == texts)
            // A history with a limit also reads earlier events than it returns.
            let cut = try await store.history(of: "Shift", id: second, limit: 1)
            #expect(cut.events.map { $0.recordID?.texts } == [first.texts])
            var seen: [[String]?] = []
            for _ in expected { seen.append(try await changes.next()?.recordID.texts) }
            #expect(seen == texts)
        }
    }

    @Test(
        "a server's deletion, and an event that follows a deletion, also have the texts of the last row",
        arguments: ["memory", "lmdb", "sqlite"])
    func server(adapter: String) async throws {
        try await withStore(adapter, Self.schema) { store in
            let (first, second) = (try Self.id("1"), try Self.id("1", Self.otherZone))
            let server = ServerState(version: 1, lastChangedAt: 1)
            let gone = ServerState(version: 2, lastChangedAt: 2, isDeleted: true)
            try await store.write { try $0.append(received: Self.shift(first), server: server) }
            try await store.write { try $0.delete("Shift", id: second) }
            // The server compares instants, so it reports the same deletion with its own texts.
            try await store.write { try $0.append(receivedDeletionOf: "Shift", id: second, server: gone) }
            try await store.write { try $0.append(leftScope: "Shift", id: second) }
            #expect(
                try await lastEvents(4, in: store).map { $0.recordID?.texts } == Array(repeating: first.texts, count: 4)
            )
        }
    }

    @Test(
        "if compaction dropped the last row, the id has other texts of the same instants and names the same record",
        arguments: ["memory", "lmdb", "sqlite"])
    func compacted(adapter: String) async throws {
        try await withStore(adapter, Self.schema) { store in
            let (kept, dropped) = (try Self.id("kept"), try Self.id("dropped"))
            try await store.save(Self.shift(kept))
            try await store.save(Self.shift(dropped))
            try await store.delete("Shift", id: dropped)
            #expect(try await store.compact().droppedCount == 1)
            try await store.delete("Shift", id: kept)
            let events = try await lastEvents(2, in: store)
            #expect(events.map(\.kind) == [.deleted, .deleted])
            #expect(events.last?.recordID?.texts == kept.texts)
            let id = try #require(events.first?.recordID)
            #expect(id.texts == ["dropped", "2026-11-24+02:00", "08:30:00.500Z", "2026-11-01T08:00:00.100Z"])
            #expect(id.texts != dropped.texts)
            let model = try store.layout.required("Shift")
            #expect(try model.withKey(of: id) { Array($0) } == model.withKey(of: dropped) { Array($0) })
            #expect(try await store.history(of: "Shift", id: id).events.map(\.kind) == [.deleted])
        }
    }

    @Test(
        "an id that is made from a key alone has texts that give the same key again",
        arguments: [
            ["2026-11-24", "00:00"], ["2026-11-24+02:00", "00:30:00+02:00"],
            ["2026-11-24-11:30", "23:30:00.001-02:00"],
            ["2026-11-24+18:00", "00:00:00+18:00"], ["2026-11-24-18:00", "23:59:59.999999999-18:00"],
            ["0000-01-01Z", "23:59:59Z"], ["2026-11-24+05:45:07", "01:00+01:00"], ["2026-11-24+12:00", "00:59+01:00"],
        ])
    func keyAlone(texts: [String]) throws {
        let model = try SchemaLayout(StoredSchema(first: Self.schema)).required("Shift")
        let id = try Self.id("1", (day: texts[0], from: texts[1], booked: "2026-11-24T00:30:00+02:00"))
        let key = try model.withKey(of: id) { Array($0) }
        let made = try key.withUnsafeBytes { try model.recordID(ofKey: $0) }.texts
        let again = try Self.id(made[0], (day: made[1], from: made[2], booked: made[3]))
        let madeKey = try model.withKey(of: again) { Array($0) }
        #expect(madeKey == key, "\(made)")
    }

    @Test(
        "the deletion of a record whose key has no temporal stores no former id",
        arguments: ["memory", "lmdb", "sqlite"])
    func plainKey(adapter: String) async throws {
        try await withStore(adapter, Self.schema) { store in
            try await store.save(Note(id: "1", title: "a"))
            try await store.delete(Note.self, id: "1")
            let events = try await lastEvents(1, in: store)
            #expect(events.map { $0.recordID } == ["1"])
            #expect(events.allSatisfy { $0.formerID == nil })
        }
    }
}

extension RecordID {
    /// The texts of the components. For a temporal, this is the text that was written.
    fileprivate var texts: [String] {
        components.map { component in
            switch component {
            case .string(let text): text
            case .date(let date): date.text
            case .time(let time): time.text
            case .dateTime(let dateTime): dateTime.text
            default: "?"
            }
        }
    }
}
