import Testing
import Tidelog
@_spi(Adapters) import TidelogCore

@testable import TidelogClientMachines
@testable import TidelogSync

@Suite("Reads and writes of the sync engine in a store")
struct SyncStoreTests {
    /// A store, and the index of its pending changes that the state machines use.
    private struct Device {
        let syncStore: SyncStore
        var pending: PendingChanges

        init() async throws {
            let store = try await DataStore.inMemory(schema: OutboxDriver.schema)
            syncStore = SyncStore(store, SyncModels(OutboxDriver.schema))
            pending = PendingChanges(after: .start)
        }

        mutating func catchUp() async throws {
            for entry in try await syncStore.newEvents(after: pending.head, isQuiet: false, isHeard: false).entries {
                pending.append(entry)
            }
        }

        mutating func save(_ id: String, _ title: String) async throws {
            let row = Record(model: "Post", values: ["id": .string(id), "title": .string(title)])
            try await syncStore.store.save(row)
            try await catchUp()
        }

        mutating func delete(_ id: String) async throws {
            try await syncStore.store.write { _ = try $0.delete("Post", id: RecordID(id)) }
            try await catchUp()
        }

        /// The server pushes a record.
        mutating func receive(
            _ id: String, _ title: String, version: UInt64, lastChangedAt: Int64? = nil
        ) async throws {
            var record = OutboxDriver.record(OutboxDriver.reference(id), title, version: version)
            if let lastChangedAt { record.lastChangedAt = lastChangedAt }
            _ = try await syncStore.receive(pushed: [record], pending)
            try await catchUp()
        }

        /// The server refuses the changes of a record, and the engine sets them aside.
        mutating func setAside(_ id: String, server: ServerRecord? = nil, attempt: UInt32 = 1) async throws {
            var append = SyncMachine.Append()
            append.answers = [try answer(id, .setAside(SyncStoreTests.reason, server: server), attempt: attempt)]
            _ = try await syncStore.append(append, pending)
            try await catchUp()
        }

        /// The answer to a mutation that contains all pending changes of a record.
        func answer(_ id: String, _ outcome: Outbox.Answer.Outcome, attempt: UInt32) throws -> Outbox.Answer {
            let reference = OutboxDriver.reference(id)
            let changes = pending.changes(of: reference)
            let (first, last) = (try #require(changes.first), try #require(changes.last))
            let kind = last.kind
            let mutation = OutgoingMutation(
                reference, kind, fields: kind == .delete ? [:] : ["title": "t"], id: last.mutation)
            let mark = SentMark(first: first.sequence, last: last.sequence, attempt: attempt, kind: kind)
            return Outbox.Answer(slot: 0, reference: reference, mutation: mutation, mark: mark, outcome: outcome)
        }
    }

    /// The end of a base query of an exact server.
    private static func sweep(seen: Set<UInt64>) -> Inbox.Sweep {
        Inbox.Sweep(
            model: "Post", query: 1, startedAt: 1_000, certainBefore: 1_000, receivedThrough: SequenceNumber(.max),
            seen: seen, notes: [:])
    }

    private static let reason = SetAsideChange.Reason("ConflictUnhandled", "no")

    @Test("a sync engine that started before its store was cleared cannot read the new log")
    func cleared() async throws {
        let device = try await Device()
        let store = device.syncStore.store
        let wait = try store.eventWait()
        let bound = SyncStore(store, SyncModels(OutboxDriver.schema), generation: wait.generation)
        let row = { Record(model: "Post", values: ["id": .string($0), "title": "t"]) }
        try await store.save(row("1"))
        #expect(try await bound.newEvents(after: .start, isQuiet: false, isHeard: false).entries.count > 0)
        try await store.clear()
        for id in ["2", "3", "4"] { try await store.save(row(id)) }
        let error = await #expect(throws: DataStoreError.self) {
            try await bound.newEvents(after: .start, isQuiet: false, isHeard: false)
        }
        #expect(error?.code == .storeCleared)
        #expect(try await device.syncStore.newEvents(after: .start, isQuiet: false, isHeard: false).entries.count >= 3)
        try await store.close()
    }

    /// A record in the form in which it arrives.
    private static func arrived(_ record: ServerRecord, in store: DataStore) throws -> ServerRecord {
        let layout = try store.layout.required("Post")
        let bytes = try EncodedRow(stored: try #require(record.row), layout: layout).bytes
        return ServerRecord(
            record.reference, encoded: EncodedPage(bytes, layout).row(at: bytes.indices), version: record.version,
            lastChangedAt: record.lastChangedAt)
    }

    @Test("after a page of new records, the next events begin after it, and a change that was saved before it is read")
    func newRecords() async throws {
        let device = try await Device()
        let store = device.syncStore.store
        let bound = SyncStore(
            store, SyncModels(OutboxDriver.schema), generation: try store.eventWait().generation)
        func receive(_ id: String, version: UInt64, after head: Position) async throws -> SyncMachine.NewEvents {
            let record = OutboxDriver.record(OutboxDriver.reference(id), "server's", version: version)
            let page = Inbox.PageAppend(
                model: "Post", query: 1, records: [try Self.arrived(record, in: store)], baseStartedAt: 1,
                areDistinct: true, notes: ["n": [1]])
            _ = try await bound.receive(page, PendingChanges(after: head))
            return try await bound.newEvents(after: head, isQuiet: true, isHeard: false)
        }
        let first = try await receive("1", version: 1, after: try store.head)
        let head = try store.head
        #expect(first.entries.map(\.position) == [head] && first.changeCount == 0)
        // A newer version of a record is read from the log, with the notes.
        let second = try await receive("1", version: 2, after: head)
        let before = try store.head
        #expect(second.entries.last?.position == before && second.changeCount == 0)
        try await store.save(Record(model: "Post", values: ["id": "3", "title": "local"]))
        let third = try await receive("2", version: 1, after: before)
        let end = try store.head
        #expect(third.changeCount == 1 && third.entries.last?.position == end)
        try await store.close()
    }

    @Test("a page of records is distinct only if no record comes twice")
    func distinct() async throws {
        let device = try await Device()
        let reader = ServerRecordReader(try device.syncStore.store.layout.required("Post"), nil)
        func page(_ ids: [String]) throws -> Inbox.Page {
            let items = ids.map { #"{"id":"\#($0)","title":"t","_version":1,"_lastChangedAt":1}"# }
            let json = #"{"items":[\#(items.joined(separator: ","))],"startedAt":1}"#
            return try reader.page(Array(json.utf8), content: .records)
        }
        let different = try page(["1", "2"])
        #expect(different.areDistinct && different.records.count == 2)
        #expect(different.hashes == ["1", "2"].map { OutboxDriver.reference($0).stableHash })
        let repeated = try page(["1", "2", "1"])
        #expect(!repeated.areDistinct && repeated.records.count == 3)
        try await device.syncStore.store.close()
    }

    @Test("a pushed record that may lack values is asked for, also if it is new", arguments: [true, false])
    func unknownPush(mayLackValues: Bool) async throws {
        let device = try await Device()
        let store = device.syncStore.store
        let row = Record(model: "Post", values: ["id": "1"])
        let reference = OutboxDriver.reference("1")
        var record = try Self.arrived(ServerRecord(reference, row: row, version: 1, lastChangedAt: 1), in: store)
        record.mayLackValues = mayLackValues
        let reception = try await device.syncStore.receive(pushed: [record], device.pending)
        #expect(reception.hints.map(\.reference) == (mayLackValues ? [reference] : []))
        #expect(try await store.record("Post", id: "1") == row)
        try await store.close()
    }

    @Test("an answer that repeats the bytes of the row is noted, and any other answer becomes visible")
    func answers() async throws {
        var device = try await Device()
        let store = device.syncStore.store
        for (id, theirs) in [("1", "mine"), ("2", "theirs")] {
            try await device.save(id, "mine")
            let record = try Self.arrived(
                OutboxDriver.record(OutboxDriver.reference(id), theirs, version: 1), in: store)
            let answer = try device.answer(id, .taken(record), attempt: 1)
            let isRepeated = try await store.writeReturning { [pending = device.pending] tx in
                try tx.standing(repeating: record, pending, answering: answer.mark.last) != nil
            }.result
            #expect(isRepeated == (theirs == "mine"))
            var append = SyncMachine.Append()
            append.answers = [answer]
            try await device.syncStore.append(append, device.pending)
            try await device.catchUp()
            let kinds = try await store.history(of: "Post", id: RecordID(id)).events.map(\.kind)
            #expect(kinds == (isRepeated ? [.saved] : [.saved, .received]))
            #expect(try store.serverStates(of: [("Post", RecordID(id))]).map(\.?.version) == [1])
            #expect(try await store.record("Post", id: RecordID(id))?["title"] == .string(theirs))
            #expect(device.pending.isEmpty)
        }
        try await store.close()
    }

    @Test("a set-aside change keeps its number of attempts, also after a later change joins it")
    func attempts() async throws {
        var device = try await Device()
        try await device.save("1", "refused")
        try await device.setAside("1", attempt: 11)
        #expect(try await device.syncStore.setAside().map(\.attempts) == [11])
        try await device.save("1", "later")
        try await device.syncStore.join(OutboxDriver.reference("1"), device.pending)
        let joined = try await device.syncStore.setAside()
        #expect(joined.map(\.attempts) == [11] && joined.map(\.fields["title"]) == ["later"])
        try await device.syncStore.store.close()
    }

    @Test("a discarded change does not bring back a record that a base query did not see", arguments: [false, true])
    func unseenRecord(isDeletion: Bool) async throws {
        var device = try await Device()
        let store = device.syncStore.store
        for id in ["1", "2"] { try await device.receive(id, "theirs", version: 1) }
        for id in ["1", "2"] {
            if isDeletion { try await device.delete(id) } else { try await device.save(id, "mine") }
            try await device.setAside(id)
        }
        // The base query saw only the second record. The server has deleted the first one.
        let seen: Set = [OutboxDriver.reference("2").stableHash]
        let sweep = Self.sweep(seen: seen)
        #expect(try await device.syncStore.sweep(sweep, device.pending).count == 0)
        try await device.catchUp()
        let rowCount = try await store.read { try $0.count(Record.all(of: "Post")) }
        #expect(rowCount == (isDeletion ? 0 : 2), "a row with a set-aside change stays")
        for change in try await device.syncStore.setAside() {
            try await device.syncStore.discard(first: change.first, device.pending)
            try await device.catchUp()
        }
        #expect(try await store.record("Post", id: "1") == nil)
        #expect(try await store.record("Post", id: "2")?["title"] == "theirs")
        try await store.close()
    }

    @Test("a record that changed just before a base query, or was received since, does not leave with the sweep")
    func inDoubt() async throws {
        var device = try await Device()
        for (id, time) in [("old", 100), ("recent", 950), ("later", 1_000)] {
            try await device.receive(id, "t", version: 1, lastChangedAt: Int64(time))
        }
        let begun = device.pending.head.sequence
        try await device.receive("since", "t", version: 1, lastChangedAt: 100)
        var sweep = Self.sweep(seen: [])
        (sweep.certainBefore, sweep.receivedThrough, sweep.notes) = (900, begun, ["note": [1]])
        let result = try await device.syncStore.sweep(sweep, device.pending)
        #expect(result.count == 1 && Set(result.inDoubt.map(\.id)) == ["recent", "since"])
        let store = device.syncStore.store
        #expect(try await store.record("Post", id: "old") == nil)
        #expect(try await device.syncStore.contents().notes["note"] == nil, "a killed device must ask again")
        // When the records are decided, the query's notes are written.
        (sweep.seen, sweep.receivedThrough) = (nil, .zero)
        try await device.syncStore.sweep(sweep, device.pending)
        #expect(try await device.syncStore.contents().notes["note"] == [1])
        #expect(try await store.read { try $0.count(Record.all(of: "Post")) } == 3)
        try await store.close()
    }

    @Test("a record that the server does not have leaves, unless it was received after the request for it")
    func missingRecords() async throws {
        var device = try await Device()
        let store = device.syncStore.store
        for id in ["1", "2", "3"] { try await device.receive(id, "t", version: 1) }
        try await device.save("3", "mine")
        let head = device.pending.head.sequence
        try await device.receive("2", "later", version: 2)
        let answers = ["1", "2", "3"].enumerated().map { number, id in
            Inbox.RecordAnswer(
                query: Inbox.RecordQuery(reference: OutboxDriver.reference(id), number: UInt64(number), head: head),
                record: nil)
        }
        _ = try await device.syncStore.receive(answers, device.pending)
        try await device.catchUp()
        #expect(try await store.record("Post", id: "1") == nil)
        #expect(try await store.record("Post", id: "2")?["title"] == "later")
        #expect(try await store.record("Post", id: "3")?["title"] == "mine", "a pending change stays")
        #expect(try await device.syncStore.state(of: OutboxDriver.reference("3"))?.isDeleted == true)
        try await store.close()
    }

    @Test("the answer to a request for a record replaces a row of the same version that lacks values")
    func completed() async throws {
        var device = try await Device()
        let reference = OutboxDriver.reference("1")
        var hint = OutboxDriver.record(reference, "t", version: 3)
        hint.row?["title"] = nil
        hint.mayLackValues = true
        let reception = try await device.syncStore.receive(pushed: [hint], device.pending)
        #expect(reception.hints == [RecordHint(reference, version: 3)])
        try await device.catchUp()
        let query = Inbox.RecordQuery(reference: reference, number: 1, head: device.pending.head.sequence)
        let whole = OutboxDriver.record(reference, "whole", version: 3)
        for count in [1, 0] {
            let answer = Inbox.RecordAnswer(query: query, record: whole)
            #expect(try await device.syncStore.receive([answer], device.pending).recordCount == count)
            try await device.catchUp()
        }
        #expect(try await device.syncStore.store.record("Post", id: "1")?["title"] == "whole")
        try await device.syncStore.store.close()
    }

    @Test("a pending change of a record that a base query did not see stays pending and keeps its base version")
    func unseenPending() async throws {
        var device = try await Device()
        try await device.receive("1", "theirs", version: 3)
        try await device.save("1", "mine")
        let sweep = Self.sweep(seen: [])
        #expect(try await device.syncStore.sweep(sweep, device.pending).count == 0)
        try await device.catchUp()
        let state = try #require(try await device.syncStore.state(of: OutboxDriver.reference("1")))
        #expect(state.baseVersion == 3 && state.isDeleted)
        #expect(try await device.syncStore.store.record("Post", id: "1")?["title"] == "mine")
        #expect(device.pending.changes(of: OutboxDriver.reference("1")).count == 1)
        // A second sweep with the same base query changes nothing.
        let head = try device.syncStore.store.head
        try await device.syncStore.sweep(sweep, device.pending)
        #expect(try device.syncStore.store.head == head)
        try await device.syncStore.store.close()
    }

    @Test(
        "discarding a set-aside change restores the server's record that came last, also if its version is lower",
        arguments: [false, true])
    func lowerVersion(reopens: Bool) async throws {
        var device = try await Device()
        let store = device.syncStore.store
        let reference = OutboxDriver.reference("1")
        try await device.save("1", "mine")
        let former = OutboxDriver.record(reference, "former", version: 7)
        try await device.setAside("1", server: former)
        // The server lost the record, and another device created it again.
        var created = OutboxDriver.record(reference, "created again", version: 1)
        created.lastChangedAt = 1_000
        let page = Inbox.PageAppend(model: "Post", query: 1, records: [created], baseStartedAt: 900, notes: [:])
        _ = try await device.syncStore.receive(page, device.pending)
        try await device.catchUp()
        let pending = reopens ? try await device.syncStore.contents().pending : device.pending
        let change = try #require(try await device.syncStore.setAside().first)
        try await device.syncStore.discard(first: change.first, pending)
        #expect(try await store.record("Post", id: "1")?["title"] == "created again")
        try await store.close()
    }

    @Test("discarding a set-aside change restores the record of the refusal, not a record that was pushed before it")
    func earlierShadow() async throws {
        var device = try await Device()
        let store = device.syncStore.store
        let reference = OutboxDriver.reference("1")
        try await device.save("1", "mine")
        try await device.receive("1", "pushed", version: 4)
        let latest = OutboxDriver.record(reference, "latest", version: 5)
        try await device.setAside("1", server: latest)
        let pending = try await device.syncStore.contents().pending
        let change = try #require(try await device.syncStore.setAside().first)
        try await device.syncStore.discard(first: change.first, pending)
        #expect(try await store.record("Post", id: "1")?["title"] == "latest")
        try await store.close()
    }

    @Test("deleting a record with a set-aside creation restores the server's latest record")
    func joinedDeletion() async throws {
        var device = try await Device()
        let store = device.syncStore.store
        let reference = OutboxDriver.reference("1")
        try await device.save("1", "mine")
        let stale = OutboxDriver.record(reference, "stale", version: 1)
        try await device.setAside("1", server: stale)
        try await device.receive("1", "latest", version: 2)
        #expect(try await store.record("Post", id: "1")?["title"] == "mine")
        try await device.delete("1")
        try await device.syncStore.join(reference, device.pending)
        #expect(try await store.record("Post", id: "1")?["title"] == "latest")
        try await store.close()
    }

    @Test("a change that the server's row replaced keeps its number of attempts")
    func replacedAttempts() async throws {
        var device = try await Device()
        try await device.save("1", "refused")
        let server = OutboxDriver.record(OutboxDriver.reference("1"), "theirs", version: 4)
        var append = SyncMachine.Append()
        append.answers = [try device.answer("1", .replaced(Self.reason, by: server), attempt: 3)]
        _ = try await device.syncStore.append(append, device.pending)
        #expect(try await device.syncStore.setAside().map(\.attempts) == [3])
        #expect(try await device.syncStore.store.record("Post", id: "1") == server.row)
        try await device.syncStore.store.close()
    }
}
