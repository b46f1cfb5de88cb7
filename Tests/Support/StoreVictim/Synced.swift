import Foundation
import Tidelog
import TidelogCore

/// A store that has synced with a server. Some of its changes are answered, some are pending, and some are shadowed by the
/// server's version. One change was refused and is set aside in a note.
struct Synced {
    private let directory: URL
    private let factory: AdapterFactory

    init(_ directory: String, _ adapter: String) {
        self.directory = URL(fileURLWithPath: directory)
        factory = StoreVictim.factory(adapter)
    }

    private func open() async throws -> DataStore {
        try await DataStore.open(
            at: directory, schema: Workload.insert.schema(version: 1), adapter: factory,
            configuration: DataStoreConfiguration(durability: .full))
    }

    private func record(_ id: String, _ title: String) -> Record {
        Record(model: "Item", values: ["id": .string(id), "text": .string(title), "number": .int(0)])
    }

    /// Makes the store.
    func make() async throws {
        let store = try await open()
        for id in ["answered", "pending", "shadowed", "refused", "removed"] {
            try await store.write { tx in
                for version in 1...3 as ClosedRange<UInt64> {
                    try tx.append(received: record(id, "theirs \(version)"), server: ServerState(version: version))
                }
                try tx.append(noted: "sync", value: Array(id.utf8))
            }
        }
        try await store.save(record("answered", "mine"))
        try await store.save(record("refused", "mine"))
        let position = try store.head
        let first = try await latestMutation("answered", store)
        let second = try await latestMutation("refused", store)
        try await store.write { tx in
            try tx.append(
                acknowledged: "Item", id: RecordID("answered"), server: ServerState(version: 4),
                answering: (first, position))
            try tx.append(rejected: "Item", id: RecordID("refused"), reason: "no", answering: (second, position))
            try tx.append(noted: "aside", value: Array("refused".utf8))
            try tx.append(noted: "gone", value: [1])
        }
        for title in ["1", "2", "3"] {
            for id in ["pending", "shadowed"] { try await store.save(record(id, title)) }
        }
        try await store.write { _ = try $0.delete("Item", id: RecordID("removed")) }
        try await store.write { tx in
            try tx.append(
                received: record("shadowed", "theirs 4"), server: ServerState(baseVersion: 3, version: 4),
                isShadowed: true)
            try tx.append(
                received: record("shadowed", "theirs 5"), server: ServerState(baseVersion: 3, version: 5),
                isShadowed: true)
            try tx.append(noted: "gone", value: nil)
        }
        try await store.close()
    }

    private func latestMutation(_ id: String, _ store: DataStore) async throws -> MutationID {
        guard let event = try await store.history(of: "Item", id: RecordID(id)).events.last else {
            throw Wrong("\(id) has no event")
        }
        return event.mutationID
    }

    /// Compacts the store as far as possible.
    func compact() async throws {
        let store = try await open()
        try await store.compact(tombstoneAge: .zero)
        try await store.close()
    }

    /// Prints the store's events and the content of its rows and tables. Throws ``Wrong`` if the store is not whole.
    func show() async throws {
        let store = try await open()
        let report = try await store.verify()
        guard report.isWhole else { throw Wrong("\(report.damaged) \(report.differences)") }
        var events: [String] = []
        for try await event in try store.events(after: .zero, through: store.head.sequence) {
            events.append("\(event.sequence)")
        }
        StoreVictim.say("events \(events.joined(separator: " "))")
        try await store.read { snapshot in
            for id in ["answered", "pending", "shadowed", "refused", "removed"] {
                let title = try snapshot.record("Item", id: RecordID(id))?["text"]
                let state = try snapshot.serverState(of: "Item", id: RecordID(id))
                StoreVictim.say("\(id) \(title.map { "\($0)" } ?? "-") \(state.map { "\($0)" } ?? "-")")
            }
            try snapshot.forEachNote { note in
                StoreVictim.say("note \(note.name) \(note.value ?? [])")
                return true
            }
        }
        try await store.close()
    }
}
