#if os(Linux)
    import FaultHarness
    import Foundation
    import Testing

    @testable import Tidelog
    @testable import TidelogCore
    import SeededNumbers
    import TestStores

    /// The killed process is `MigrationVictim`. Its schemas must equal the schemas here.
    @Suite("Processes that are killed while the schema changes")
    struct KillTests {
        private static let count = 30_000

        private static func schema(_ type: FieldType, _ indexes: [IndexSchema] = []) -> Schema {
            Schema(models: [
                ModelSchema(
                    name: "Item",
                    fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("size", type, isRequired: true)],
                    indexes: indexes)
            ])
        }

        private static let migrations: [SchemaMigration] = [
            .transform("Item") { old, new in
                guard case .string(let text)? = old["size"], let size = Int64(text) else { return }
                new["size"] = .int(size)
            }
        ]

        private func run(_ scratch: Scratch, _ adapter: Adapter, _ rest: String...) throws -> ChildProcess {
            try ChildProcess(
                BuildProducts.url(of: "MigrationVictim"), [scratch.path().path, adapter.factory.name] + rest)
        }

        private func fill(_ scratch: Scratch, _ adapter: Adapter) throws {
            let child = try run(scratch, adapter, "first", "\(Self.count)")
            while let line = try child.readLine(), line != "done" {}
            _ = try child.wait()
        }

        private func checkItems(_ store: DataStore) async throws {
            let items = try await store.all("Item")
            #expect(items.count == Self.count)
            #expect(
                items.allSatisfy { item in
                    guard case .string(let id)? = item["id"], case .int(let size)? = item["size"] else { return false }
                    return id == "i\(size)"
                })
            try await store.checkRows()
        }

        @Test(
            "a killed migration continues where it was, and the store opens only with that migration",
            arguments: Adapter.persistent)
        func killed(adapter: Adapter) async throws {
            let scratch = try Scratch()
            try fill(scratch, adapter)
            let pristine = scratch.path("pristine")
            try FileManager.default.copyItem(at: scratch.path(), to: pristine)
            for line in ["opening", "checking 9000", "writing 12000", "writing 21000", "writing 30000"] {
                try FileManager.default.removeItem(at: scratch.path())
                try FileManager.default.copyItem(at: pristine, to: scratch.path())
                let child = try run(scratch, adapter, "second")
                while let found = try child.readLine(), found != line {}
                child.signal(SIGKILL)
                _ = try child.wait()
                let isUnderWay = try StoreFiles.describe(at: scratch.path()).schema.version == 2
                if line.hasPrefix("writing"), line != "writing 30000" {
                    #expect(isUnderWay)
                    for schema in [Self.schema(.string), Self.schema(.int), nil] {
                        #expect(await code { try await scratch.open(adapter, schema) } == .invalidSchema, "\(line)")
                    }
                }
                let store = try await scratch.open(adapter, Self.schema(.int), Self.migrations)
                try await checkItems(store)
                let migrated = try store.allEvents().filter(\.isMigrated)
                #expect(migrated.count == Self.count, "no record is written twice")
                try await store.close()
            }
        }

        @Test(
            "a new index whose creation was killed is completed at the next opening, and sorts correctly",
            arguments: Adapter.persistent)
        func killedIndex(adapter: Adapter) async throws {
            let scratch = try Scratch()
            try fill(scratch, adapter)
            var random = SeededGenerator(5)
            for _ in 0..<6 {
                let child = try run(scratch, adapter, "third")
                _ = try child.readLine()
                try await Task.sleep(for: .milliseconds(random.below(120)))
                child.signal(SIGKILL)
                _ = try child.wait()
            }
            let schema = Self.schema(.string, [IndexSchema(name: "bySize", fields: ["size"])])
            let store = try await scratch.open(adapter, schema)
            let sorted = try await store.fetch(Record.all(of: "Item").sorted(by: Sort([Sort.Key("size")])))
            let sizes = sorted.map { $0["size"] }
            let expected = (0..<Self.count).map { "\($0)" }.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
            #expect(sizes == expected.map { .string($0) })
            try await store.checkRows()
            try await store.close()
        }
    }
#endif
