import Foundation
import SeededNumbers
import TestStores
import TestWaiting
import Testing
@_spi(Adapters) import Tidelog

@_spi(Adapters) @testable import TidelogCore

@Suite("Events that wait to be projected", .timeLimit(.minutes(5)))
struct UnprojectedEventTests {
    /// One change or one read in a write of a test.
    private enum Write: CustomStringConvertible {
        case save(Record)
        case saveWhere(Record, QueryPredicate)
        case insert(Record)
        case delete(String)
        case deleteWhere(String, QueryPredicate)
        case received(Record, ServerState, isShadowed: Bool)
        case receivedDeletion(String, ServerState)
        case acknowledged(String, ServerState)
        case rejected(String)
        case leftScope(String)
        case note(String, [UInt8]?)
        case readState(String)
        case readNote(String)

        var description: String {
            switch self {
            case .received(let record, let state, let isShadowed): "received \(record) \(state) \(isShadowed)"
            case .receivedDeletion(let id, let state): "received deletion \(id) \(state)"
            case .acknowledged(let id, let state): "acknowledged \(id) \(state)"
            case .rejected(let id): "rejected \(id)"
            case .leftScope(let id): "left scope \(id)"
            case .note(let name, let value): "note \(name) \(value as Any)"
            case .readState(let id): "read state \(id)"
            case .readNote(let name): "read note \(name)"
            case .save(let record): "save \(record)"
            case .saveWhere(let record, let condition): "save \(record) where \(condition)"
            case .insert(let record): "insert \(record)"
            case .delete(let id): "delete \(id)"
            case .deleteWhere(let id, let condition): "delete \(id) where \(condition)"
            }
        }

        init(_ random: inout SeededGenerator) {
            let id = "r\(random.below(12))"
            let record = item(id, "t\(random.below(4))", rank: random.once(in: 3) ? nil : Int64(random.below(5)))
            let condition = QueryPredicate.field("title", .equal(.string("t\(random.below(4))")))
            let state = ServerState(
                baseVersion: random.once(in: 4) ? 1 : nil, version: UInt64(random.below(9)),
                lastChangedAt: Int64(random.below(9)), isDeleted: random.once(in: 3))
            let name = "n\(random.below(3))"
            switch random.below(20) {
            case 0..<4: self = .save(record)
            case 4: self = .saveWhere(record, condition)
            case 5: self = .insert(record)
            case 6: self = .delete(id)
            case 7: self = .deleteWhere(id, condition)
            case 8, 9: self = .received(record, state, isShadowed: random.once(in: 3))
            case 10: self = .receivedDeletion(id, state)
            case 11: self = .acknowledged(id, state)
            case 12: self = .rejected(id)
            case 13: self = .leftScope(id)
            case 14, 15: self = .note(name, random.once(in: 3) ? nil : [UInt8(random.below(256))])
            case 16...18: self = .readState(id)
            default: self = .readNote(name)
            }
        }

        /// Returns what a read found; `nil` for a change.
        ///
        /// - Parameter answer: The mutation that answers are about.
        func run(_ tx: StoreTransaction, _ answer: StoreTransaction.Answering) throws -> String? {
            switch self {
            case .received(let record, let state, let isShadowed):
                try tx.append(received: record, server: state, isShadowed: isShadowed)
            case .receivedDeletion(let id, let state):
                try tx.append(receivedDeletionOf: "Item", id: RecordID(id), server: state)
            case .acknowledged(let id, let state):
                try tx.append(acknowledged: "Item", id: RecordID(id), server: state, answering: answer)
            case .rejected(let id):
                try tx.append(rejected: "Item", id: RecordID(id), reason: "no", answering: answer)
            case .leftScope(let id): try tx.append(leftScope: "Item", id: RecordID(id))
            case .note(let name, let value): try tx.append(noted: name, value: value)
            case .readState(let id):
                let state = try tx.serverState(of: "Item", id: RecordID(id))
                let sequences = (
                    try tx.serverStateSequence(of: "Item", id: RecordID(id)),
                    try tx.latestSequence(of: "Item", id: RecordID(id))
                )
                return "\(id) \(state as Any) \(sequences)"
            case .readNote(let name): return "\(name) \(try tx.note(name) as Any)"
            case .save(let record): try tx.save(record)
            case .saveWhere(let record, let condition): try tx.save(record, where: condition)
            case .insert(let record):
                guard case .string(let id)? = record["id"], try tx.record("Item", id: RecordID(id)) == nil else {
                    throw DataStoreError(.alreadyExists, "There is one.", recovery: "None.")
                }
                try tx.save(record)
            case .delete(let id): try tx.delete("Item", id: RecordID(id))
            case .deleteWhere(let id, let condition): try tx.delete("Item", id: RecordID(id), where: condition)
            }
            return nil
        }
    }

    /// Runs `writes` in one transaction. Returns the commit or the error as text, so that errors can be compared too, and what
    /// the reads found.
    private func outcome(_ store: DataStore, _ writes: [Write], atOnce: Bool) async -> String {
        do {
            let head = try store.head
            let incarnation = try store.current().log.metadata.incarnation
            let answer = (mutation: MutationID(incarnation: incarnation, sequence: head.sequence), outbox: head)
            let (found, commit) = try await store.writeReturning { tx in
                // A query of more than one record makes the store project all events at once.
                if atOnce { _ = try tx.fetch(Record.all(of: "Item").limit(1)) }
                return try writes.compactMap { try $0.run(tx, answer) }
            }
            return "\(commit) \(found)"
        } catch {
            return (error as? DataStoreError).map { "\($0.code)" } ?? "\(error)"
        }
    }

    @Test("the server's states are read while events wait to be projected", arguments: Adapter.all)
    func serverStates(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let configuration = DataStoreConfiguration(durability: .relaxed)
        let store = try await scratch.open(adapter, "states", configuration: configuration)
        try await store.write { tx in
            let state = ServerState(version: 3, lastChangedAt: 5, isDeleted: false)
            try tx.append(received: item("r1", "theirs", rank: nil), server: state)
        }
        #expect(try await store.count(Record.all(of: "Item")) == 1)
        // Nothing projects the events below before this turn ends, however slow this test is.
        let rows = try store.current().rows
        try rows.takeTurn()
        for id in ["r1", "r2"] { _ = try await store.write { try $0.save(item(id, "mine", rank: nil)) } }
        try await store.write { tx in
            try tx.append(leftScope: "Item", id: "r3")
            let state = ServerState(version: 4, lastChangedAt: 5, isDeleted: false)
            try tx.append(received: item("r4", "theirs", rank: nil), server: state)
        }
        let states = try store.serverStates(of: (1...4).map { ("Item", RecordID("r\($0)")) })
        #expect(states.map { $0?.version } == [3, nil, nil, 4])
        #expect(!rows.unprojected.isEmpty)
        rows.endTurn()
        try await store.close()
    }

    @Test(
        "unprojected events give the same answers, rows and events as events that are projected at once",
        arguments: Adapter.all, [1, 2, 3] as [UInt64])
    func equalsProjectingAtOnce(adapter: Adapter, seed: UInt64) async throws {
        let scratch = try Scratch()
        let configuration = DataStoreConfiguration(durability: .relaxed)
        // A small tail switches between its files often. With seed 1, the tail has its default size.
        var small = configuration
        small.logTailByteCount = seed == 1 ? nil : 2_048 << Int(seed)
        let waiting = try await scratch.open(adapter, "waiting", configuration: small)
        let prompt = try await scratch.open(adapter, "prompt", configuration: configuration)
        var random = SeededGenerator(seed)
        var waitedCount = 0
        for _ in 0..<400 {
            let writes = (0..<random.below(4)).map { _ in Write(&random) }
            let outcome = await outcome(waiting, writes, atOnce: random.once(in: 12))
            #expect(await self.outcome(prompt, writes, atOnce: true) == outcome, "\(writes)")
            if try !waiting.current().rows.unprojected.isEmpty { waitedCount += 1 }
            #expect(try prompt.current().rows.unprojected.isEmpty)
            switch random.below(12) {
            case 0..<6:
                let id = RecordID("r\(random.below(12))")
                #expect(try await waiting.record("Item", id: id) == prompt.record("Item", id: id))
            case 6:
                let predicate = QueryPredicate.field("rank", .greater(.int(Int64(random.below(5)))))
                let expected = try await prompt.fetch(Record.all(of: "Item").where(predicate))
                #expect(try await waiting.fetch(Record.all(of: "Item").where(predicate)) == expected)
            case 7:
                let id = RecordID("r\(random.below(12))")
                let expected = try await prompt.history(of: "Item", id: id).events.map(\.sequence)
                #expect(try await waiting.history(of: "Item", id: id).events.map(\.sequence) == expected)
            case 8: #expect(try await waiting.hash() == prompt.hash())
            case 11:
                let records = (0..<12).map { ("Item", RecordID("r\($0)")) }
                #expect(try waiting.serverStates(of: records) == prompt.serverStates(of: records))
            case 9, 10: try await absorb(waiting, besides: random.once(in: 2) ? Write(&random) : nil, prompt)
            default: break
            }
        }
        #expect(waitedCount > 50)
        for (waited, prompt) in try zip(waiting.allEvents(), prompt.allEvents()) {
            #expect((waited.sequence, waited.kind) == (prompt.sequence, prompt.kind))
            #expect(waited.key == prompt.key && waited.record == prompt.record)
            #expect(waited.condition == prompt.condition)
            #expect(waited.previous == prompt.previous, "\(waited.sequence)")
            #expect(waited.changedFields == prompt.changedFields, "\(waited.sequence)")
        }
        #expect(try await waiting.hash() == prompt.hash())
        #expect(try await waiting.verify().isWhole)
        try await waiting.close()
        try await prompt.close()
        let reopened = try await scratch.open(adapter, "waiting", configuration: configuration)
        #expect(try await reopened.verify().isWhole)
        try await reopened.close()
    }

    /// Makes the environment of the log absorb the tail, possibly during `write`. Also runs `write` on `other`, and
    /// compares the outcomes.
    private func absorb(_ store: DataStore, besides write: Write?, _ other: DataStore) async throws {
        let environment = try await store.logEnvironment()
        async let outcome = outcome(store, write.map { [$0] } ?? [], atOnce: false)
        try await Task.detached { try environment.absorb() }.value
        #expect(await outcome == self.outcome(other, write.map { [$0] } ?? [], atOnce: true))
    }

    @Test(
        "after a write returns, its caller sees the unprojected events with every kind of read",
        arguments: Adapter.all, [Durability.full, .relaxed])
    func readYourWrites(adapter: Adapter, durability: Durability) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter, configuration: DataStoreConfiguration(durability: durability))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<6 {
                group.addTask {
                    var random = SeededGenerator(UInt64(task))
                    let id = "r\(task)"
                    for number in 1...400 {
                        let rank = Int64(number)
                        let asks = random.once(in: 3)
                        try await store.write { tx in
                            if asks { _ = try tx.fetch(Record.all(of: "Item").limit(1)) }
                            try tx.save(item(id, "t", rank: rank))
                        }
                        switch random.below(6) {
                        case 0:
                            #expect(try await store.fetch(Record.all(of: "Item").where(.isRank(rank, id))).count == 1)
                        case 1:
                            let found = try await store.read { try $0.record("Item", id: RecordID(id)) }
                            #expect(found?["rank"] == .int(rank))
                        case 2:
                            try await store.write { tx in
                                let found = try tx.record("Item", id: RecordID(id))
                                #expect(found?["rank"] == .int(rank))
                            }
                        case 3:
                            try await store.write { tx in
                                let found = try tx.fetch(Record.all(of: "Item").where(.isRank(rank, id)))
                                #expect(found.count == 1)
                            }
                        default:
                            #expect(try await store.record("Item", id: RecordID(id))?["rank"] == .int(rank))
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try await store.count(Record.all(of: "Item")) == 6)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test(
        "an event that a reader projects before it is listed as unprojected is not listed, and hides no later save",
        arguments: Adapter.all)
    func projectedBeforeTheyWait(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter, configuration: DataStoreConfiguration(durability: .relaxed))
        let generation = try store.current()
        let model = try store.layout.required("Item")
        let writer = try #require(generation.writer)
        try await store.save(item("other", "1"))
        try await writer.exclusively { section in
            let unprojected = generation.rows.unprojected
            for id in ["two", "one"] {
                let staged = StagedEvents()
                staged.begin(after: section.log.head, wallClock: 0, incarnation: section.log.metadata.incarnation)
                _ = try staged.stageRow(model, header: EventHeader(kind: .saved, schemaVersion: 1)) {
                    try item(id, "old").encode(into: &$0, layout: model)
                }
                try section.logWriter.append(SealedEvents(sealing: staged, commitEnds: [1]))
                // This stands for a reader that projects at this moment. It projects because "two" is listed.
                if id == "one" { try generation.rows.project() }
                unprojected.append(staged)
                #expect(unprojected.isEmpty == (id == "one"))
            }
        }
        try await store.write { tx in
            _ = try tx.fetch(Record.all(of: "Item").limit(1))
            try tx.save(item("one", "new"))
        }
        try await store.save(item("other", "2"))
        #expect(try await store.title("one") == "new")
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("unprojected events are projected after a short time, even without any read", arguments: Adapter.persistent)
    func projectedUnasked(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        for number in 0..<20 { try await store.save(item("r\(number)", "t")) }
        let unprojected = try store.current().rows.unprojected
        try await eventually { unprojected.isEmpty }
        let rows = try store.current().rows.current.adapter().snapshot()
        #expect(rows.checkpointSequence.value == 21)
        rows.end()
        try await store.close()
    }

    @Test("the number of unprojected events has a limit", arguments: Adapter.all)
    func bounded(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter, configuration: DataStoreConfiguration(durability: .relaxed))
        for batch in 0..<80 {
            try await store.write { [rows = try store.current().rows] tx in
                // The group before this one may have been acknowledged before its events were projected. This group
                // began after that.
                let checkpoint = try rows.current.adapter().snapshot()
                defer { checkpoint.end() }
                let head = rows.log.head.sequence.value
                #expect(head - checkpoint.checkpointSequence.value < UInt64(UnprojectedEvents.waitingLimit))
                for number in 0..<100 { try tx.save(item("r\(batch * 100 + number)", "t")) }
            }
        }
        #expect(try await store.count(Record.all(of: "Item")) == 8_000)
        try await store.close()
    }

    @Test(
        "writes end while another thread changes the rows, and their events are projected afterwards",
        arguments: Adapter.all, [Durability.full, .relaxed])
    func writesDuringProjections(adapter: Adapter, durability: Durability) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter, configuration: DataStoreConfiguration(durability: durability))
        let rows = try store.current().rows
        try rows.takeTurn()
        // These are more events than are projected without waiting for more.
        for batch in 0..<15 {
            try await store.write { tx in
                for number in 0..<100 { try tx.save(item("r\(batch * 100 + number)", "t")) }
            }
        }
        #expect(try await store.title("r1499") == "t")
        #expect(!rows.unprojected.isEmpty)
        rows.endTurn()
        try await eventually { rows.unprojected.isEmpty }
        #expect(try await store.count(Record.all(of: "Item")) == 1_500)
        try await store.close()
    }
}

extension QueryPredicate {
    fileprivate static func isRank(_ rank: Int64, _ id: String) -> QueryPredicate {
        .and([.field("rank", .equal(.int(rank))), .field("id", .equal(.string(id)))])
    }
}
