import FaultHarness
import Foundation
import Testing
import TidelogLMDB

@testable import Tidelog
@testable import TidelogCore

let itemSchema = Schema(models: [
    ModelSchema(
        name: "Item",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true),
            FieldSchema("rank", .int),
        ],
        indexes: [IndexSchema(name: "byRank", fields: ["rank"])])
])

/// The same with a field more.
let widerItemSchema = Schema(models: [
    ModelSchema(
        name: "Item",
        fields: [
            FieldSchema("id", .id, isRequired: true), FieldSchema("title", .string, isRequired: true),
            FieldSchema("rank", .int), FieldSchema("note", .string),
        ],
        indexes: [IndexSchema(name: "byRank", fields: ["rank"])])
])

func item(_ id: String, _ title: String, rank: Int64? = nil) -> Record {
    var fields: [String: FieldValue] = ["id": .string(id), "title": .string(title)]
    if let rank { fields["rank"] = .int(rank) }
    return Record(model: "Item", values: fields)
}

/// An adapter to run a test over.
struct Adapter: Sendable, CustomTestStringConvertible {
    let factory: AdapterFactory
    var testDescription: String { factory.name }

    static let all = [Adapter(factory: .inMemory()), Adapter(factory: .lmdb()), Adapter(factory: .sqlite())]
    static let persistent = [Adapter(factory: .lmdb()), Adapter(factory: .sqlite())]
}

/// A place for stores that goes away with the test.
struct Scratch {
    let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory("lifecycle") }

    func path(_ name: String = "store") -> URL { directory.file(name) }

    func open(
        _ adapter: Adapter = Adapter(factory: .inMemory()), _ name: String = "store", schema: Schema? = itemSchema,
        configuration: DataStoreConfiguration = DataStoreConfiguration(durability: .relaxed)
    ) async throws -> DataStore {
        try await DataStore.open(
            at: path(name), schema: schema, adapter: adapter.factory, configuration: configuration)
    }
}

extension DataStore {
    func hash() async throws -> StateHash { try await read { try $0.stateHash() } }

    /// Every event of the log, as what it says.
    func allEvents() throws -> [Event] {
        let generation = try current()
        return try generation.log.withReader { reader in
            var events: [Event] = []
            try reader.forEach(after: .zero) { view in
                events.append(try Event(view, schemas: generation.schemas))
                return true
            }
            return events
        }
    }

    func position(of sequence: SequenceNumber) throws -> Position {
        try current().log.withReader { reader in
            guard let event = try reader.event(at: sequence) else { throw MissingEvent() }
            return Position(sequence: sequence, chain: event.chain)
        }
    }

    func serverState(_ id: String) async throws -> ServerState? {
        try await read { try $0.serverState("Item", id: RecordID(id)) }
    }

    func title(_ id: String) async throws -> String? {
        guard case .string(let title)? = try await record("Item", id: RecordID(id))?["title"] else { return nil }
        return title
    }
}

struct MissingEvent: Error {}

/// Changes the stored bytes of events while nobody has the store open.
func damage(_ store: URL, _ sequences: [UInt64], _ change: (inout [UInt8]) -> Void = { $0[$0.count / 2] ^= 0x10 })
    throws
{
    let environment = try Environment(
        directory: store.path + "/generation-1/log", options: Environment.Options(maximumKeyspaces: 8))
    defer { environment.close() }
    let transaction = try environment.beginWrite()
    let events = try transaction.openKeyspace(named: "events", integerKeys: true, create: false)
    for sequence in sequences {
        try withIntegerKey(sequence) { key in
            guard let stored = try transaction.get(events, key) else { throw MissingEvent() }
            var bytes = Array(stored)
            change(&bytes)
            if bytes.isEmpty {
                try transaction.delete(events, key)
            } else {
                try bytes.withUnsafeBytes { try transaction.put(events, key, $0) }
            }
        }
    }
    try transaction.commit()
}

/// A generator of numbers that its seed decides.
struct Seeded: RandomNumberGenerator {
    var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
