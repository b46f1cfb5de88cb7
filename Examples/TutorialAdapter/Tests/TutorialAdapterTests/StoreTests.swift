import Testing
import Tidelog
import TutorialAdapter

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("A store on the tutorial's adapter")
struct StoreTests {
    private static let schema = Schema(models: [
        ModelSchema(
            name: "Task",
            fields: [FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true)])
    ])

    @Test("rows that ended with the adapter are recreated from the log when the store is opened")
    func madeAgain() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(
            path: "tutorial-\(UInt64.random(in: 1 ... .max))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let record = Record(model: "Task", values: ["id": "1", "title": "Write an adapter"])

        let store = try await DataStore.open(at: directory, schema: Self.schema, adapter: .tutorial())
        try await store.write { try $0.save(record) }
        try await store.close()

        let reopened = try await DataStore.open(at: directory, adapter: .tutorial())
        #expect(try await reopened.fetch(Record.all(of: "Task")) == [record])
        try await reopened.close()
    }
}
