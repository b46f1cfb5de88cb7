import TestStores
import Tidelog

let itemSchema = Schema(models: [
    ModelSchema(
        name: "Item",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true),
        ])
])

func item(_ id: String, _ title: String) -> Record {
    Record(model: "Item", values: ["id": .string(id), "title": .string(title)])
}

extension Scratch {
    func open(
        _ adapter: Adapter, _ name: String = "store", schema: Schema = itemSchema,
        configuration: DataStoreConfiguration = DataStoreConfiguration(durability: .relaxed)
    ) async throws -> DataStore {
        try await DataStore.open(
            at: path(name), schema: schema, adapter: adapter.factory, configuration: configuration)
    }
}

extension DataStore {
    func title(_ id: String) async throws -> String? {
        guard case .string(let title)? = try await record("Item", id: RecordID(id))?["title"] else { return nil }
        return title
    }
}
