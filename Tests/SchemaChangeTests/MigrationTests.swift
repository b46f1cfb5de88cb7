import Foundation
import TestStores
import Testing

@testable import Tidelog
@testable import TidelogCore

@Suite("Migrations")
struct MigrationTests {
    private static func schema(_ name: String, _ fields: [FieldSchema], _ indexes: [IndexSchema] = []) -> Schema {
        Schema(models: [
            ModelSchema(name: name, fields: [FieldSchema("id", .id, isRequired: true)] + fields, indexes: indexes),
            ModelSchema(name: "Other", fields: [FieldSchema("id", .id, isRequired: true)]),
        ])
    }

    /// The first schema has `title` and the text `stars`. The second renames `title` to `headline`, and `stars` is a
    /// number. The third renames the model to `Article` and adds `slug`.
    private static let first = schema(
        "Post", [FieldSchema("title", .string, isRequired: true), FieldSchema("stars", .string, isRequired: true)],
        [IndexSchema(name: "byTitle", fields: ["title"])])
    private static let second = schema(
        "Post", [FieldSchema("headline", .string, isRequired: true), FieldSchema("stars", .int, isRequired: true)],
        [IndexSchema(name: "byTitle", fields: ["headline"]), IndexSchema(name: "byStars", fields: ["stars"])])
    private static let third = schema(
        "Article",
        [
            FieldSchema("headline", .string, isRequired: true), FieldSchema("slug", .string, isRequired: true),
            FieldSchema("stars", .int, isRequired: true),
        ],
        [IndexSchema(name: "byTitle", fields: ["headline"]), IndexSchema(name: "byStars", fields: ["stars"])])

    private static let toSecond: [SchemaMigration] = [
        .transform("Post", named: "stars are numbers") { old, new in
            guard case .string(let text)? = old["stars"], let stars = Int64(text) else { throw Wrong() }
            new["stars"] = .int(stars)
        },
        .rename(field: "title", of: "Post", to: "headline"),
    ]
    private static let toThird: [SchemaMigration] =
        toSecond + [
            .rename(model: "Post", to: "Article"),
            .transform("Article", named: "slugs") { old, new in
                guard case .string(let title)? = old["headline"], case .int? = old["stars"] else { throw Wrong() }
                new["slug"] = .string(title.lowercased())
            },
        ]

    private struct Wrong: Error {}

    private func fill(_ scratch: Scratch, _ adapter: Adapter, bad: Bool = false) async throws {
        let store = try await scratch.open(adapter, Self.first)
        try await store.write { transaction in
            for number in 0..<50 {
                try transaction.save(
                    Record(
                        model: "Post",
                        values: [
                            "id": .string("p\(number)"), "title": .string("T\(number)"), "stars": .string("\(number)"),
                        ]))
            }
            try transaction.save(Record(model: "Other", values: ["id": "o"]))
        }
        try await store.write { _ = try $0.delete("Post", id: RecordID("p7")) }
        if bad { try await store.save(Record(model: "Post", values: ["id": "z", "title": "T", "stars": "many"])) }
        try await store.close()
    }

    private func expect(
        _ store: DataStore, _ model: String, _ extra: (Int) -> [String: FieldValue],
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let expected = (0..<50).filter { $0 != 7 }.map { number in
            Record(
                model: model,
                values: extra(number).merging([
                    "id": .string("p\(number)"), "headline": .string("T\(number)"), "stars": .int(Int64(number)),
                ]) { $1 })
        }
        let found = try await store.all(model)
        #expect(Set(found) == Set(expected), sourceLocation: sourceLocation)
        #expect(found.count == expected.count, sourceLocation: sourceLocation)
        try await store.checkRows(sourceLocation: sourceLocation)
    }

    @Test("two migrations give the same records, whether one opening or two openings run them", arguments: Adapter.all)
    func chain(adapter: Adapter) async throws {
        let scratch = try Scratch()
        try await fill(scratch, adapter)
        var store = try await scratch.open(adapter, Self.second, Self.toSecond)
        try await expect(store, "Post") { _ in [:] }
        #expect(try await store.fetch(Record.all(of: "Post").where(QueryPredicate(parsing: "stars == 12"))).count == 1)
        let count = try store.allEvents().count
        try await store.close()

        store = try await scratch.open(adapter, Self.second)
        #expect(try store.allEvents().count == count, "without the migrations there is nothing left to do")
        try await store.close()
        store = try await scratch.open(adapter, Self.third, Self.toThird)
        try await expect(store, "Article") { ["slug": .string("t\($0)")] }
        let stepwise = try await store.hash()
        try await store.close()

        try FileManager.default.removeItem(at: scratch.path())
        try await fill(scratch, adapter)
        store = try await scratch.open(adapter, Self.third, Self.toThird)
        try await expect(store, "Article") { ["slug": .string("t\($0)")] }
        #expect(try await store.hash() == stepwise)
        #expect(try store.schema.version == 2)
        try await store.save(
            Record(model: "Article", values: ["id": "n", "headline": "N", "slug": "n", "stars": .int(1)]))
        try await store.checkRows()
        try await store.close()
        store = try await scratch.open(adapter, Self.third, Self.toThird)
        #expect(try store.schema.version == 2)
        try await store.close()
    }

    @Test("migrated events are flagged, belong to the record's history, and ask for no mutation")
    func events() async throws {
        let scratch = try Scratch()
        let adapter = Adapter(factory: .lmdb())
        try await fill(scratch, adapter)
        let store = try await scratch.open(adapter, Self.second, Self.toSecond)
        let events = try store.allEvents()
        let migrated = events.filter(\.isMigrated)
        #expect(migrated.count == 49)
        #expect(migrated.allSatisfy { $0.kind == .saved && $0.origin == .local && !$0.asksForMutation })
        #expect(migrated.allSatisfy { $0.schemaVersion == 2 && $0.changedFields == ["stars"] })
        #expect(events.filter { !$0.isMigrated && $0.kind == .saved }.allSatisfy { $0.asksForMutation })
        let history = try await store.history(of: "Post", id: RecordID("p3"))
        #expect(history.events.map(\.isMigrated) == [false, true] && history.isComplete)
        #expect(try await store.history(of: "Post", id: RecordID("p7")).events.map(\.kind) == [.saved, .deleted])
        // A store that never had a server will upload the changed records. Compaction keeps the events that this needs.
        try await store.compact(tombstoneAge: .zero)
        let kept = try store.allEvents()
        #expect(
            Set(kept.filter(\.asksForMutation).compactMap(\.recordID)).isSuperset(of: migrated.compactMap(\.recordID)))
        try await store.compact(tombstoneAge: .zero)
        #expect(try store.allEvents().count == kept.count)
        try await store.checkRows()
        try await store.close()
    }

    @Test(
        "a schema change without a migration is refused with its reasons, and no byte of the store changes",
        arguments: Adapter.persistent)
    func refused(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter, Self.first, durability: .full)
        try await store.save(Record(model: "Post", values: ["id": "p", "title": "T", "stars": "1"]))
        try await store.close()
        let before = try scratch.contents()
        #expect(before.count > 3)
        var otherKey = Self.first
        otherKey.models[0].primaryKey = ["title"]
        let cases: [(Schema, [SchemaMigration], [String])] = [
            (
                Self.second, [],
                [
                    "Post.headline: required field added", "Post.stars: type changed from String to Int",
                    "Post.title: required field removed",
                ]
            ),
            (Self.second, [Self.toSecond[1]], ["Post.stars: type changed from String to Int"]),
            // After the renaming, the reasons have the new name of the model.
            (
                Self.third, [Self.toSecond[1], Self.toThird[2]],
                ["Article.slug: required field added", "Article.stars: type changed from String to Int"]
            ),
            (otherKey, [.transform("Post") { _, _ in }], ["Post: primary key changed from (id) to (title)"]),
        ]
        for (schema, migrations, reasons) in cases {
            do {
                _ = try await scratch.open(adapter, schema, migrations, durability: nil)
                Issue.record("the schema was taken over")
            } catch let error as DataStoreError {
                #expect(error.code == .invalidSchema)
                for reason in reasons { #expect(error.message.contains(reason), "\(error.message)") }
                #expect(error.message.split(separator: ";").count == reasons.count, "\(error.message)")
            }
            #expect(try scratch.contents() == before)
        }
        let twice = [Self.toSecond[0], Self.toSecond[0]]
        #expect(await code { try await scratch.open(adapter, Self.second, twice, durability: nil) } == .invalidSchema)
        #expect(try scratch.contents() == before)
    }

    @Test(
        "a migration that throws or gives an invalid record fails, and the store stays unchanged",
        arguments: Adapter.all)
    func failing(adapter: Adapter) async throws {
        let scratch = try Scratch()
        try await fill(scratch, adapter, bad: true)
        let invalid: [SchemaMigration] = [
            Self.toSecond[1], .transform("Post", named: "keeps the text") { _, _ in },
        ]
        let odd: [SchemaMigration] = [
            Self.toSecond[1],
            .transform("Post", named: "unknown") { _, new in
                new["stars"] = 1
                new["size"] = 1
            },
        ]
        let moving: [SchemaMigration] = [
            Self.toSecond[1],
            .transform("Post", named: "other id") { _, new in
                new["stars"] = 1
                new["id"] = "same"
            },
        ]
        for migrations in [Self.toSecond, invalid, odd, moving] {
            #expect(await code { try await scratch.open(adapter, Self.second, migrations) } == .migrationFailed)
        }
        let store = try await scratch.open(adapter, Self.first)
        #expect(try store.schema.version == 1)
        #expect(try await store.all("Post").count == 50)
        try await store.checkRows()
        try await store.close()
    }

    @Test("a new store runs no migrations, and neither does a store that was created with the latest schema")
    func unneeded() async throws {
        let scratch = try Scratch()
        let adapter = Adapter(factory: .lmdb())
        let record = Record(model: "Article", values: ["id": "n", "headline": "N", "slug": "n", "stars": .int(1)])
        for (name, migrations) in [("new", Self.toThird), ("bare", [])] {
            var store = try await scratch.open(adapter, Self.third, migrations, name: name)
            try await store.save(record)
            try await store.close()
            for _ in 0..<2 {
                store = try await scratch.open(adapter, Self.third, Self.toThird, name: name)
                #expect(try await store.all("Article") == [record])
                #expect(try store.schema.migrations.count == 4)
                #expect(try store.allEvents().allSatisfy { !$0.isMigrated })
                try await store.close()
            }
        }
    }

    @Test(
        "a renaming writes no record, and a save under the new name writes the same field", arguments: Adapter.all)
    func renaming(adapter: Adapter) async throws {
        let scratch = try Scratch()
        try await fill(scratch, adapter)
        var renamed = Self.first
        renamed.models[0].name = "Story"
        renamed.models[0].fields[1].name = "caption"
        renamed.models[0].fields.append(FieldSchema("title", .int))
        renamed.models[0].indexes[0].fields = ["caption"]
        let store = try await scratch.open(
            adapter, renamed,
            [.rename(model: "Post", to: "Story"), .rename(field: "title", of: "Story", to: "caption")])
        #expect(try store.allEvents().allSatisfy { !$0.isMigrated })
        let record = try #require(try await store.record("Story", id: RecordID("p3")))
        #expect(record.values == ["id": "p3", "caption": "T3", "stars": "3"])
        var next = record
        next["title"] = 5
        try await store.save(next)
        #expect(try await store.record("Story", id: RecordID("p3")) == next)
        #expect(
            try await store.fetch(Record.all(of: "Story").where(QueryPredicate(parsing: "caption == \"T3\""))).count
                == 1)
        let events = try await store.history(of: "Story", id: RecordID("p3")).events
        #expect(events.map(\.model) == ["Post", "Story"])
        try await store.checkRows()
        try await store.close()
    }

    @Test("a field that is declared again after a transformation retired it is a new field")
    func againAnother() async throws {
        let scratch = try Scratch()
        let adapter = Adapter(factory: .sqlite())
        try await fill(scratch, adapter)
        var less = Self.first
        less.models[0].fields.removeLast()
        var store = try await scratch.open(adapter, less, [.transform("Post", named: "no stars") { _, _ in }])
        #expect(try await store.all("Post").allSatisfy { $0["stars"] == nil })
        try await store.close()
        var again = less
        again.models[0].fields.append(FieldSchema("stars", .bool))
        store = try await scratch.open(adapter, again)
        #expect(try await store.all("Post").allSatisfy { $0["stars"] == nil })
        #expect(try store.schema.fieldNumbers["Post"] == ["id": 1, "title": 2, "stars~3": 3, "stars": 4])
        try await store.checkRows()
        try await store.close()
    }

    @Test("the progress of a migration reaches the number of records, both for checking and for writing")
    func progress() async throws {
        let scratch = try Scratch()
        try await fill(scratch, Adapter(factory: .lmdb()))
        let seen = Seen()
        let store = try await DataStore.open(
            at: scratch.path(), schema: Self.second, adapter: .lmdb(),
            configuration: DataStoreConfiguration(migrationProgress: { seen.add($0) }), migrations: Self.toSecond)
        let last = { (phase: MigrationProgress.Phase) in seen.all.last { $0.phase == phase } }
        #expect(last(.checking)?.completedCount == 49 && last(.checking)?.recordCount == 49)
        #expect(last(.writing)?.completedCount == 49 && last(.writing)?.model == "Post")
        try await store.close()
    }
}

/// The progress that a migration reported.
private final class Seen: @unchecked Sendable {  // Safe: only the thread that opens the store reports.
    private(set) var all: [MigrationProgress] = []

    func add(_ progress: MigrationProgress) { all.append(progress) }
}
