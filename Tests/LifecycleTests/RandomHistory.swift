import SeededNumbers
import Tidelog

@testable import TidelogCore

/// A random history of a store: saves and deletions, and a server that answers or refuses them, pushes changes and
/// removes records.
struct RandomHistory {
    private var random: SeededGenerator
    private let store: DataStore
    private let hasServer: Bool
    private var version: UInt64 = 0
    /// The local changes that the server has not answered yet, the oldest first.
    private(set) var pending: [(sequence: SequenceNumber, id: String)] = []
    private(set) var outbox = SequenceNumber.zero

    init(_ store: DataStore, seed: UInt64, hasServer: Bool) {
        random = SeededGenerator(seed)
        self.store = store
        self.hasServer = hasServer
    }

    private mutating func id() -> String { "r\(Int.random(in: 0..<12, using: &random))" }

    mutating func run(_ count: Int) async throws {
        for _ in 0..<count { try await step() }
    }

    private mutating func step() async throws {
        switch Int.random(in: 0..<(hasServer ? 14 : 6), using: &random) {
        case 0..<4:
            let changes = (0..<Int.random(in: 1...3, using: &random)).map { _ in
                // Without a server, many of the saves change nothing.
                item(
                    id(), "t\(random.next() % (hasServer ? 1_000 : 2))",
                    rank: Int64(random.next() % (hasServer ? 5 : 2)))
            }
            let commit = try await store.write { tx in for change in changes { try tx.save(change) } }
            note(commit, changes.map(\.id))
        case 4..<6:
            let id = id()
            let commit = try await store.write { _ = try $0.delete("Item", id: RecordID(id)) }
            note(commit, [id])
        case 6..<9: try await answer()
        case 9..<11: try await push()
        case 11..<13: try await note()
        default:
            let id = id()
            guard !pending.contains(where: { $0.id == id }) else { return }
            try await store.write { try $0.append(leftScope: "Item", id: RecordID(id)) }
        }
    }

    private mutating func note(_ commit: Commit, _ ids: [String]) {
        for (offset, id) in ids.enumerated() where offset < commit.eventCount {
            pending.append((SequenceNumber(commit.first.value + UInt64(offset)), id))
        }
    }

    private mutating func state(isDeleted: Bool = false) -> ServerState {
        version += 1
        return ServerState(version: version, lastChangedAt: Int64(version), isDeleted: isDeleted)
    }

    /// Appends the answer of the server to the oldest pending change.
    private mutating func answer() async throws {
        guard let next = pending.first else { return }
        pending.removeFirst()
        outbox = next.sequence
        let answer = (
            mutation: MutationID(
                incarnation: try store.current().log.metadata.incarnation, sequence: next.sequence),
            outbox: try store.position(of: next.sequence)
        )
        let id = RecordID(next.id)
        if Int.random(in: 0..<4, using: &random) == 0 {
            try await store.write { try $0.append(rejected: "Item", id: id, reason: "no", answering: answer) }
        } else {
            let state = state()
            try await store.write { try $0.append(acknowledged: "Item", id: id, server: state, answering: answer) }
        }
    }

    private mutating func push() async throws {
        let id = id()
        let isShadowed = pending.contains { $0.id == id }
        if Int.random(in: 0..<3, using: &random) == 0 {
            let state = state(isDeleted: true)
            try await store.write {
                try $0.append(
                    receivedDeletionOf: "Item", id: RecordID(id), server: state, isShadowed: isShadowed)
            }
        } else {
            let state = state()
            let record = item(id, "s\(random.next() % 1_000)")
            try await store.write { try $0.append(received: record, server: state, isShadowed: isShadowed) }
        }
    }

    /// Adds, replaces or removes one or two notes, like the sync engine.
    private mutating func note() async throws {
        let notes = (0..<Int.random(in: 1...2, using: &random)).map { _ in
            let value = [UInt8](repeating: UInt8(random.next() % 256), count: Int(random.next() % 40))
            return (name: "n\(random.next() % 4)", value: random.next() % 3 == 0 ? nil : value)
        }
        try await store.write { tx in for note in notes { try tx.append(noted: note.name, value: note.value) } }
    }
}

extension Record {
    fileprivate var id: String {
        guard case .string(let id)? = self["id"] else { return "" }
        return id
    }
}
