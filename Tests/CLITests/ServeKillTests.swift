import FaultHarness
import Foundation
import PostgresSupport
import TestWaiting
import Testing
import TidelogJSON
import TidelogSynchronization

@Suite("tidelog serve, killed under load", .timeLimit(.minutes(10)))
struct ServeKillTests {
    private static let schema = "type Item @model @auth(rules: [{allow: public}]) { id: ID! number: Int! }\n"
    private static let rounds = 40 * crashScale

    @Test("every acknowledged mutation of a document survives a kill, and no delta query misses a mutation")
    func kills() async throws {
        let shop = try Shop()
        try shop.write(Self.schema, to: "items.graphql")
        let writers = (0..<8).map { WritingClient(number: $0) }
        let reader = SyncingClient()
        for round in 0..<Self.rounds {
            let server = try ServerProcess(shop.file("items.graphql"), store: shop.store)
            for writer in writers {
                if Bool.random() { try await writer.sendAgain(server) }
                try await writer.check(server)
            }
            try await reader.sync(server)
            #expect(try await reader.items == SyncingClient.everything(server), "round \(round)")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in writers { group.addTask { await writer.write(server) } }
                group.addTask { while (try? await reader.sync(server)) != nil {} }
                try await Task.sleep(for: .milliseconds(Int.random(in: 5...200)))
                server.child.signal(SIGKILL)
                try await group.waitForAll()
            }
            _ = try server.child.wait()
            if writers.contains(where: { !$0.findings.isEmpty }) { break }
        }
        for writer in writers { #expect(writer.findings.isEmpty) }
        #expect(writers.map(\.acknowledgedCount).reduce(0, +) > Self.rounds * 8)
        #expect(reader.deltaCount > Self.rounds)
    }
}

@Suite(
    "tidelog serve, two processes over one database, one of them killed under load",
    .enabled(if: PostgresCluster.isInstalled), .timeLimit(.minutes(10)))
struct ServeDatabaseKillTests {
    private static let schema = "type Item @model @auth(rules: [{allow: public}]) { id: ID! number: Int! }\n"
    private static let rounds = 15 * crashScale

    @Test("every acknowledged mutation is at the other server, and no delta query there misses a mutation")
    func kills() async throws {
        let shop = try Shop()
        try shop.write(Self.schema, to: "items.graphql")
        let database = try PostgresCluster.makeDatabase()
        let other = try ServerProcess(shop.file("items.graphql"), database: database)
        let writers = (0..<8).map { WritingClient(number: $0) }
        let reader = SyncingClient()
        for round in 0..<Self.rounds {
            let server = try ServerProcess(shop.file("items.graphql"), database: database)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in writers { group.addTask { await writer.write(server) } }
                let reading = Task { while !Task.isCancelled { try await reader.sync(other) } }
                try await Task.sleep(for: .milliseconds(Int.random(in: 5...300)))
                server.child.signal(SIGKILL)
                try await group.waitForAll()
                reading.cancel()
                _ = await reading.result
            }
            _ = try server.child.wait()
            // A statement that was sent before the kill may still be carried out.
            let connections =
                "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'tidelog \(server.child.identifier)'"
            try await eventually { try PostgresCluster.run(connections, on: database) == "0" }
            for writer in writers {
                if Bool.random() { try await writer.sendAgain(other) }
                try await writer.check(other)
            }
            try await reader.sync(other)
            #expect(try await reader.items == SyncingClient.everything(other), "round \(round)")
            if writers.contains(where: { !$0.findings.isEmpty }) { break }
        }
        for writer in writers { #expect(writer.findings.isEmpty) }
        #expect(writers.map(\.acknowledgedCount).reduce(0, +) > Self.rounds * 8)
        #expect(try other.stop() == 0)
    }
}

/// A client that changes records of its own, one or several at a time, and notes which changes the server acknowledged.
private final class WritingClient: Sendable {
    struct State: Equatable {
        var version: Int
        var number: Int
        var isDeleted: Bool
    }

    /// A mutation, and the state of its record after it.
    private struct Step {
        let id: String
        let mutation: String
        let next: State
        /// The id of the mutation.
        let name: String
    }

    private struct Notes {
        /// The last acknowledged state of each record.
        var acknowledged: [String: State] = [:]
        /// The requested state of each record whose request has no answer.
        var asked: [String: State] = [:]
        /// The mutations of the document that has no answer.
        var unanswered: [Step] = []
        var counter = 0
        var acknowledgedCount = 0
        var findings: [String] = []
    }

    private let number: Int
    private let notes = Mutex(Notes())

    init(number: Int) { self.number = number }

    var findings: [String] { notes.withLock { $0.findings } }
    var acknowledgedCount: Int { notes.withLock { $0.acknowledgedCount } }

    /// Changes records until the server does not answer. A document has 1 to 25 mutations, each of another record.
    func write(_ server: ServerProcess) async {
        while true {
            let ids = (0..<30).shuffled().prefix(Bool.random() ? 1 : Int.random(in: 1...25))
            let steps = ids.map { step("\(number)-\($0)") }
            notes.withLock { notes in
                for step in steps { notes.asked[step.id] = step.next }
                notes.unanswered = steps
            }
            guard (try? await send(steps, to: server)) != nil else { return }
        }
    }

    /// Sends mutations in one document, and notes the answers.
    private func send(_ steps: [Step], to server: ServerProcess) async throws {
        let fields = steps.enumerated().map { "m\($0): \($1.mutation) { id number _version _deleted }" }
        let response = try await server.post(
            "mutation { \(fields.joined(separator: " ")) }",
            ["x-api-key": ServerProcess.key, "x-tidelog-mutation-id": steps.map(\.name).joined(separator: ",")])
        let answer = try response.json()
        notes.withLock { notes in
            notes.unanswered = []
            for (index, step) in steps.enumerated() {
                notes.asked[step.id] = nil
                guard let stored = Self.state(answer["data"]?["m\(index)"]), stored == step.next else {
                    notes.findings.append("\(step.mutation): \(answer)")
                    continue
                }
                notes.acknowledged[step.id] = stored
                notes.acknowledgedCount += 1
            }
        }
    }

    /// Sends the document that was not answered again, with the same ids. The answers must be the same, however many of its
    /// mutations were made before the kill.
    func sendAgain(_ server: ServerProcess) async throws {
        let steps = notes.withLock { $0.unanswered }
        if !steps.isEmpty { try await send(steps, to: server) }
    }

    private func step(_ id: String) -> Step {
        let (mutation, next, name) = notes.withLock { notes in
            notes.counter += 1
            let (mutation, next) = Self.step(id, notes)
            return (mutation, next, "\(number)-\(notes.counter)")
        }
        return Step(id: id, mutation: mutation, next: next, name: name)
    }

    private static func step(_ id: String, _ notes: Notes) -> (mutation: String, next: State) {
        let known = notes.acknowledged[id]
        let version = known?.version ?? 0
        let changed = State(version: version + 1, number: notes.counter, isDeleted: false)
        guard let known, !known.isDeleted else {
            return ("createItem(input: {id: \"\(id)\", number: \(notes.counter)})", changed)
        }
        guard Int.random(in: 0..<10) > 0 else {
            return (
                "deleteItem(input: {id: \"\(id)\", _version: \(version)})",
                State(version: version + 1, number: known.number, isDeleted: true)
            )
        }
        return ("updateItem(input: {id: \"\(id)\", number: \(notes.counter), _version: \(version)})", changed)
    }

    /// Compares the stored records with the acknowledged ones. After that, the stored state is the known state.
    func check(_ server: ServerProcess) async throws {
        let (known, asked) = notes.withLock { ($0.acknowledged, $0.asked) }
        let ids = Set(known.keys).union(asked.keys).sorted()
        guard !ids.isEmpty else { return }
        // The server accepts at most 30 aliases in a document.
        for start in stride(from: 0, to: ids.count, by: 15) {
            let part = Array(ids[start..<min(start + 15, ids.count)])
            let fields = part.enumerated().map { index, id in
                "f\(index): getItem(id: \"\(id)\") { id number _version _deleted }"
            }
            let answer = try await server.ask("{ \(fields.joined(separator: " ")) }")
            notes.withLock { notes in
                for (index, id) in part.enumerated() {
                    let stored = Self.state(answer["data"]?["f\(index)"])
                    let isExpected = stored == known[id] || asked[id] != nil && stored == asked[id]
                    if !isExpected {
                        notes.findings.append(
                            "\(id): stored \(stored as Any), acknowledged \(known[id] as Any), asked \(asked[id] as Any)"
                        )
                    }
                    notes.acknowledged[id] = stored
                    notes.asked[id] = nil
                }
                notes.unanswered = []
            }
        }
    }

    private static func state(_ value: JSONValue?) -> State? {
        guard let value, let version = value["_version"]?.number, let number = value["number"]?.number else {
            return nil
        }
        return State(version: version, number: number, isDeleted: value["_deleted"]?.flag ?? false)
    }
}

/// A client that follows the server by delta queries.
private final class SyncingClient: Sendable {
    private struct Replica {
        var items: [String: String] = [:]
        var lastSync: Int?
        var deltaCount = 0
    }

    private let replica = Mutex(Replica())

    /// The version, the number and the deletion mark of each record of the client, by id.
    var items: [String: String] { replica.withLock { $0.items } }
    var deltaCount: Int { replica.withLock { $0.deltaCount } }

    /// Fetches the records that changed after the last sync.
    func sync(_ server: ServerProcess) async throws {
        let lastSync = replica.withLock { $0.lastSync }
        let (items, startedAt) = try await Self.fetch(server, since: lastSync)
        replica.withLock { replica in
            replica.items.merge(items) { $1 }
            replica.lastSync = startedAt
            replica.deltaCount += lastSync == nil ? 0 : 1
        }
    }

    /// All records of the server.
    static func everything(_ server: ServerProcess) async throws -> [String: String] {
        try await fetch(server, since: nil).items
    }

    private static func fetch(
        _ server: ServerProcess, since lastSync: Int?
    ) async throws -> (items: [String: String], startedAt: Int) {
        var items: [String: String] = [:]
        var token: String?
        while true {
            let arguments =
                (lastSync.map { "lastSync: \($0), " } ?? "") + (token.map { "nextToken: \"\($0)\", " } ?? "")
            let answer = try await server.ask(
                """
                { syncItems(\(arguments)limit: 50) {
                    items { id number _version _deleted } nextToken startedAt
                } }
                """)
            guard let page = answer["data"]?["syncItems"], let startedAt = page["startedAt"]?.number else {
                throw ShopFailure(text: "\(answer)")
            }
            for item in page["items"]?.elements ?? [] {
                items[item["id"]?.text ?? ""] =
                    "\(item["_version"]?.number ?? 0) \(item["number"]?.number ?? 0) \(item["_deleted"]?.flag ?? false)"
            }
            guard let next = page["nextToken"]?.text else { return (items, startedAt) }
            token = next
        }
    }
}
