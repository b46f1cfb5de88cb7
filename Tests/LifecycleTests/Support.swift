import Dispatch
import FaultHarness
import Foundation
import TestStores
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

/// The item schema with one more field.
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

extension Scratch {
    func open(
        _ adapter: Adapter = Adapter(factory: .inMemory()), _ name: String = "store", schema: Schema? = itemSchema,
        configuration: DataStoreConfiguration = DataStoreConfiguration(durability: .relaxed)
    ) async throws -> DataStore {
        try await DataStore.open(
            at: path(name), schema: schema, adapter: adapter.factory, configuration: configuration)
    }
}

extension DataStore {
    /// All events of the log, decoded.
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

    /// The writer of the log's environment.
    func logEnvironment() async throws -> EnvironmentWriter {
        try await writer(of: current()).exclusively { $0.logWriter.environment }
    }

    /// The memory of the log's tail.
    func tailMemory() async throws -> TailSegment.Memory? {
        try await writer(of: current()).exclusively { $0.logWriter.tail?.memory }
    }

    /// The absorber of the log.
    func logAbsorber() async throws -> Absorber {
        try await writer(of: current()).exclusively { $0.logWriter.absorber }
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

/// Changes the stored bytes of events. No process may have the store open.
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

/// Blocks the writer of a store until `release` is called.
struct HeldWriter {
    private let gate = DispatchSemaphore(value: 0)
    private let work: Task<Void, any Error>

    init(_ writer: Writer) async throws {
        let (gate, begun) = (gate, DispatchSemaphore(value: 0))
        work = Task {
            try await writer.exclusively { _ in
                begun.signal()
                gate.wait()
            }
        }
        try await Blocking.run { begun.wait() }
    }

    func release() async throws {
        gate.signal()
        try await work.value
    }
}
