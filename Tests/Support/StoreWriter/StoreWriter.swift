import Foundation
import Tidelog

/// The model that the writer saves. Tests that read at the same time use the schema of the store.
private let schema = Schema(models: [
    ModelSchema(
        name: "Note",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true),
            FieldSchema("rating", .int),
        ],
        indexes: [IndexSchema(name: "byRating", fields: ["rating"])])
])

/// Opens a store for writing in its own process. This is for tests that read the store at the same time.
///
/// `StoreWriter DIRECTORY ADAPTER COUNT` saves COUNT notes with the ratings 0, 1, and so on, one commit each. It then deletes
/// the notes with a rating below 10. It prints `ready` when the store is open, and `done` at the end. After that it waits to be
/// killed. The first note is saved when the file DIRECTORY/go appears.
@main
struct StoreWriter {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let count = Int(arguments[3]) else { exit(64) }
        let directory = URL(fileURLWithPath: arguments[1])
        let adapter: AdapterFactory = arguments[2] == "sqlite" ? .sqlite() : .lmdb()
        let store = try await DataStore.open(at: directory, schema: schema, adapter: adapter)
        try await store.save(Record(model: "Note", values: ["id": "first", "title": "t"]))
        say("ready")
        while !FileManager.default.fileExists(atPath: directory.appendingPathComponent("go").path) {
            try await Task.sleep(for: .milliseconds(1))
        }
        for number in 0..<count {
            try await store.save(
                Record(
                    model: "Note",
                    values: ["id": .string("n\(1_000 + number)"), "title": "t", "rating": .int(Int64(number))]))
        }
        for number in 0..<10 { try await store.write { try $0.delete("Note", id: RecordID("n\(1_000 + number)")) } }
        say("done")
        while true { try await Task.sleep(for: .seconds(60)) }
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
