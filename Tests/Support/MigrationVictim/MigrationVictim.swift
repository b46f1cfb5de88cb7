import Foundation
import Tidelog

/// A process that migrates a store until it is killed. `MigrationVictim STORE ADAPTER first COUNT` makes the store.
/// `MigrationVictim STORE ADAPTER second|third` opens it with a later schema. Lines say how far a migration is.
@main
struct MigrationVictim {
    static func schema(_ fields: [FieldSchema], _ indexes: [IndexSchema] = []) -> Schema {
        Schema(models: [
            ModelSchema(
                name: "Item", fields: [FieldSchema("id", .id, isRequired: true)] + fields, indexes: indexes)
        ])
    }

    static let first = schema([FieldSchema("size", .string, isRequired: true)])
    static let second = schema([FieldSchema("size", .int, isRequired: true)])
    /// The first schema with an additional index.
    static let third = schema(
        [FieldSchema("size", .string, isRequired: true)], [IndexSchema(name: "bySize", fields: ["size"])])

    static let migrations: [SchemaMigration] = [
        .transform("Item") { old, new in
            guard case .string(let text)? = old["size"], let size = Int64(text) else { return }
            new["size"] = .int(size)
        }
    ]

    static func main() async throws {
        let arguments = CommandLine.arguments
        let directory = URL(fileURLWithPath: arguments[1])
        let factory: AdapterFactory = arguments[2] == "sqlite" ? .sqlite() : .lmdb()
        let configuration = DataStoreConfiguration(
            durability: .relaxed,
            migrationProgress: { progress in
                print("\(progress.phase.rawValue) \(progress.completedCount)")
                fflush(nil)
            })
        let schemas = ["first": first, "second": second, "third": third]
        let step = arguments[3]
        print("opening")
        fflush(nil)
        let store = try await DataStore.open(
            at: directory, schema: schemas[step], adapter: factory, configuration: configuration,
            migrations: step == "second" ? migrations : [])
        if step == "first" {
            let count = Int(arguments[4]) ?? 0
            for start in stride(from: 0, to: count, by: 10_000) {
                try await store.write { transaction in
                    for number in start..<min(start + 10_000, count) {
                        let values: [String: FieldValue] = ["id": .string("i\(number)"), "size": .string("\(number)")]
                        try transaction.save(Record(model: "Item", values: values))
                    }
                }
            }
        }
        try await store.close()
        print("done")
        fflush(nil)
    }
}
