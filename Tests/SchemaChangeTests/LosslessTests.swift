import Foundation
import TestStores
import Testing

@_spi(Adapters) @testable import Tidelog
@_spi(Adapters) @testable import TidelogCore

@Suite("Lossless changes of a schema")
struct LosslessTests {
    @Test(
        "a new required field has its default in every existing row, also in the history and after a rebuild",
        arguments: Adapter.all)
    func defaults(adapter: Adapter) async throws {
        let scratch = try Scratch()
        var store = try await scratch.open(adapter, noteSchema)
        try await store.save([Note(id: "1", title: "one", rating: 7), Note(id: "2", title: "two")])
        try await store.save(Note(id: "1", title: "uno", rating: 8))
        try await store.delete(Note.self, id: "2")
        try await store.save(Note(id: "3", title: "three", rating: 1))
        try await store.close()
        store = try await scratch.open(adapter, Note2.all)
        #expect(try await store.query(Note2.self) == [Note2("1", 3, "uno", 8), Note2("3", 3, "three", 1)])
        #expect(try await store.count(Note2.where(Field<Note2, Int>("stars") == 3)) == 2)
        #expect(try await store.record("Note", id: RecordID("1"))?["stars"] == .int(3))
        let history = try await store.history(of: Note2.self, id: "1").events
        #expect(try history.map { try $0.decode(Note2.self) } == [Note2("1", 3, "one", 7), Note2("1", 3, "uno", 8)])
        #expect(history.map { $0.record?["stars"] } == [nil, nil], "an event has the written values")
        try await store.checkRows()
        try await store.save(Note2("1", 5, "uno", 8, "done"))
        #expect(try await store.query(Note2.self, id: "1") == Note2("1", 5, "uno", 8, "done"))
        try await store.checkRows()
        try await store.close()
        store = try await scratch.open(adapter, Note2.all)
        #expect(try store.schema.version == 2)
        try await store.checkRows()
        try await store.close()
    }

    @Test(
        "rows that are older than a field keep the field's first default, also if the default changes later",
        arguments: Adapter.all)
    func firstDefault(adapter: Adapter) async throws {
        let scratch = try Scratch()
        func schema(_ extra: FieldSchema?) -> Schema {
            Schema(models: [
                ModelSchema(
                    name: "Item", fields: [FieldSchema("id", .id, isRequired: true)] + (extra.map { [$0] } ?? []))
            ])
        }
        let steps: [(FieldSchema?, String)] = [
            (nil, "a"), (FieldSchema("size", .int, isRequired: true, defaultValue: .int(1)), "b"),
            (FieldSchema("size", .int, isRequired: true, defaultValue: .int(2)), "c"), (FieldSchema("size", .int), "d"),
            (FieldSchema("size", .int, isRequired: true, defaultValue: .int(5)), "e"),
        ]
        for (field, id) in steps {
            let store = try await scratch.open(adapter, schema(field))
            try await store.save(Record(model: "Item", values: ["id": .string(id)]))
            try await store.close()
        }
        let store = try await scratch.open(adapter, nil)
        let sizes = try await store.all("Item").map { $0["size"] }
        #expect(sizes == [.int(1), .int(1), .int(2), .int(5), .int(5)])
        try await store.checkRows()
        try await store.close()
    }

    @Test(
        "defaults of new fields also apply in embedded values and in lists of embedded values", arguments: Adapter.all)
    func embeddedDefaults(adapter: Adapter) async throws {
        func schema(_ more: [FieldSchema]) -> Schema {
            Schema(
                models: [
                    ModelSchema(
                        name: "Trip",
                        fields: [
                            FieldSchema("id", .id, isRequired: true), FieldSchema("start", .embedded("Place")),
                            FieldSchema("stops", .list(.embedded("Place"), elementIsRequired: false)),
                            FieldSchema(
                                "grid",
                                .list(.list(.embedded("Place"), elementIsRequired: true), elementIsRequired: true)),
                        ])
                ],
                embeddedTypes: [
                    EmbeddedSchema(
                        name: "Place",
                        fields: [
                            FieldSchema("city", .string, isRequired: true), FieldSchema("inside", .embedded("Place")),
                        ]
                            + more)
                ])
        }
        let scratch = try Scratch()
        var store = try await scratch.open(adapter, schema([]))
        let inner: FieldValue = .embedded(["city": "Rome"])
        let outer: FieldValue = .embedded(["city": "Lazio", "inside": inner])
        try await store.save(
            Record(
                model: "Trip",
                values: ["id": "1", "start": outer, "stops": .list([inner, nil]), "grid": .list([.list([inner])])]))
        try await store.close()
        let field = FieldSchema("floor", .int, isRequired: true, defaultValue: .int(0))
        store = try await scratch.open(adapter, schema([field]))
        let newInner: FieldValue = .embedded(["city": "Rome", "floor": .int(0)])
        let newOuter: FieldValue = .embedded(["city": "Lazio", "inside": newInner, "floor": .int(0)])
        let expected = Record(
            model: "Trip",
            values: [
                "id": "1", "start": newOuter, "stops": .list([newInner, nil]), "grid": .list([.list([newInner])]),
            ])
        #expect(try await store.all("Trip") == [expected])
        try await store.checkRows()
        try await store.close()
    }

    @Test(
        "fields that an older build does not declare stay in the rows, and a newer build finds them again",
        arguments: Adapter.all)
    func olderBuild(adapter: Adapter) async throws {
        let scratch = try Scratch()
        var store = try await scratch.open(adapter, Note2.all)
        try await store.save([Note2("1", 5, "one", 7, "done"), Note2("2", 4, "two")])
        try await store.close()
        store = try await scratch.open(adapter, noteSchema)
        #expect(try store.schema.declared.model(named: "Note")?.fields.count == 5)
        #expect(
            try await store.query(Note.self) == [Note(id: "1", title: "one", rating: 7), Note(id: "2", title: "two")])
        try await store.save([Note(id: "1", title: "uno"), Note(id: "3", title: "new", rating: 9)])
        try await store.save(Record(model: "Note", values: ["id": "2", "title": "due"]))
        try await store.write { transaction in
            try transaction.save(Note(id: "4", title: "four"))
            try transaction.save(Note(id: "4", title: "quattro"))
        }
        #expect(try await store.query(Note.self, id: "1") == Note(id: "1", title: "uno"))
        await #expect(throws: DataStoreError.self) {
            try await store.save(Note(id: "3", title: "x"), where: Field<Note, String>("title") == "old")
        }
        try await store.save(Note(id: "3", title: "newer", rating: 9), where: Field<Note, String>("title") == "new")
        try await store.checkRows()
        try await store.close()
        store = try await scratch.open(adapter, Note2.all)
        #expect(
            try await store.query(Note2.self) == [
                Note2("1", 5, "uno", nil, "done"), Note2("2", 4, "due"), Note2("3", 3, "newer", 9),
                Note2("4", 3, "quattro"),
            ])
        try await store.checkRows()
        try await store.close()
    }

    @Test(
        "an enum case of another build is read and written by a build that does not declare the case",
        arguments: Adapter.all)
    func unknownCase(adapter: Adapter) async throws {
        let scratch = try Scratch()
        var newer = Note2.all
        newer.enums[0].cases.append("late")
        var store = try await scratch.open(adapter, newer)
        try await store.save(Note2("1", 5, "one", 7, "late"))
        try await store.close()
        store = try await scratch.open(adapter, Note2.all)
        #expect(try await store.record("Note", id: RecordID("1"))?["state"] == .string("late"))
        let record = Record(
            model: "Note", values: ["id": "2", "title": "two", "stars": .int(1), "state": .string("late")])
        try await store.save(record)
        #expect(try await store.record("Note", id: RecordID("2")) == record)
        try await store.close()
    }

    @Test(
        "undeclared fields of embedded values stay with the values that a save keeps",
        arguments: Adapter.all)
    func embeddedRetained(adapter: Adapter) async throws {
        func schema(_ more: [FieldSchema]) -> Schema {
            Schema(
                models: [
                    ModelSchema(
                        name: "Trip",
                        fields: [
                            FieldSchema("id", .id, isRequired: true), FieldSchema("start", .embedded("Place")),
                            FieldSchema("stops", .list(.embedded("Place"), elementIsRequired: true)),
                        ])
                ],
                embeddedTypes: [
                    EmbeddedSchema(name: "Place", fields: [FieldSchema("city", .string, isRequired: true)] + more)
                ])
        }
        func place(_ city: String, _ note: String? = nil) -> FieldValue {
            .embedded(note.map { ["city": .string(city), "note": .string($0)] } ?? ["city": .string(city)])
        }
        let scratch = try Scratch()
        var store = try await scratch.open(adapter, schema([FieldSchema("note", .string)]))
        try await store.save(
            Record(
                model: "Trip",
                values: [
                    "id": "1", "start": place("Rome", "r"),
                    "stops": .list([place("Oslo", "o"), place("Bern", "b"), place("Kiel", "k")]),
                ]))
        try await store.close()
        store = try await scratch.open(adapter, schema([]))
        // Bern moves to the first place, Kiel is renamed to Kyle, Oslo is removed, and Ulm is new.
        try await store.save(
            Record(
                model: "Trip",
                values: [
                    "id": "1", "start": place("Roma"), "stops": .list([place("Bern"), place("Ulm"), place("Kyle")]),
                ]))
        #expect(
            try await store.record("Trip", id: RecordID("1"))?.values == [
                "id": "1", "start": place("Roma", "r"),
                "stops": .list([place("Bern", "b"), place("Ulm"), place("Kyle", "k")]),
            ])
        try await store.close()
    }

    @Test("models, enums and embedded types that the code drops stay with their records", arguments: Adapter.all)
    func droppedModel(adapter: Adapter) async throws {
        let tag = ModelSchema(
            name: "Tag",
            fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("state", .enumeration("State"))])
        var both = Note2.all
        both.models.append(tag)
        let scratch = try Scratch()
        var store = try await scratch.open(adapter, both)
        try await store.save(Record(model: "Tag", values: ["id": "t", "state": .string("open")]))
        try await store.close()
        store = try await scratch.open(adapter, noteSchema)
        let before = try await store.hash()
        #expect(try await store.all("Tag").count == 1)
        try await store.checkRows()
        try await store.close()
        store = try await scratch.open(adapter, both)
        #expect(try await store.hash() == before)
        try await store.close()
    }

    @Test("events of a model that is local only never ask for a mutation")
    func localOnly() async throws {
        var schema = noteSchema
        schema.models[0].isLocalOnly = true
        let scratch = try Scratch()
        var store = try await scratch.open(Adapter(factory: .lmdb()), noteSchema)
        #expect(try store.layout.models.map(\.isLocalOnly) == [false])
        try await store.save(Note(id: "1", title: "one"))
        #expect(try store.allEvents().map(\.asksForMutation) == [false, true])
        try await store.close()
        store = try await scratch.open(Adapter(factory: .lmdb()), schema)
        #expect(try store.layout.models.map(\.isLocalOnly) == [true])
        try await store.save(Note(id: "2", title: "two"))
        #expect(try store.allEvents().allSatisfy { !$0.asksForMutation })
        try await store.close()
    }
}
