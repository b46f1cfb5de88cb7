import FaultHarness
import Foundation

/// A directory with a small schema and files of records, for one test.
struct Shop {
    let directory: TemporaryDirectory
    let store: String

    static let schema = """
        enum Status { ACTIVE GONE }

        type Note @model {
          id: ID!
          title: String!
          rating: Int @index(name: "byRating")
          weight: Float
          tags: [String!]
          status: Status
        }

        type Line @model {
          order: ID! @primaryKey(sortKeyFields: ["number"])
          number: Int!
          text: String
        }
        """

    /// - Parameters:
    ///   - count: The number of notes in the store. If this is `nil`, no store is made.
    ///   - folder: The folder in which its directory is made.
    init(
        notes count: Int? = nil, adapter: String = "lmdb", in folder: URL = FileManager.default.temporaryDirectory
    ) throws {
        directory = try TemporaryDirectory("cli", in: folder)
        store = directory.file("shop").path
        try write(Self.schema, to: "schema.graphql")
        guard let count else { return }
        try write(Self.notes(0..<count), to: "notes.ndjson")
        let outcome = try run(
            "import", "--schema", file("schema.graphql"), "--adapter", adapter, "--durability", "relaxed", "Note",
            file("notes.ndjson"))
        guard outcome.status == 0 else { throw ShopFailure(text: outcome.errors) }
    }

    /// The size of a page in LMDB's files, in bytes. The first page of each file has it.
    func pageSize() throws -> Int {
        let log = try Data(contentsOf: URL(filePath: store).appending(path: "generation-1/log/data.mdb"))
        return Int(log.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 40, as: UInt32.self) })
    }

    static func notes(_ numbers: Range<Int>) -> String {
        numbers.map { "{\"id\":\"n\($0)\",\"title\":\"Note \($0)\",\"rating\":\($0 % 10)}\n" }.joined()
    }

    func file(_ name: String) -> String { directory.file(name).path }

    func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: directory.file(name))
    }

    /// Runs a command on the store.
    func run(_ command: String, _ arguments: String...) throws -> Outcome {
        try Tool.run([command, "--store", store] + arguments)
    }

    /// Runs a line of shell in the directory, where the store is named `shop`.
    func shell(_ line: String) throws -> Outcome { try Tool.shell(line, in: directory.url) }
}

struct ShopFailure: Error {
    let text: String
}

/// The root of the repository, found from the path of this file.
let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
