import TestStores
import Testing
@_spi(Adapters) import Tidelog

@_spi(Adapters) @testable import TidelogCore

@Suite("Shadowed events and notes")
struct SyncEventTests {
    private let version2 = ServerState(baseVersion: 1, version: 2, lastChangedAt: 20)

    /// Calls `body` three times: with the store as it is, after a rebuild, and after the store was opened again.
    /// Verifies the store after each call.
    private func forEachLife(
        of store: inout DataStore, _ scratch: Scratch, _ adapter: Adapter, _ body: (DataStore) async throws -> Void
    ) async throws {
        for round in 0..<3 {
            try await body(store)
            let report = try await store.verify()
            #expect(report.isWhole, "\(report.differences)")
            if round == 0 { try await store.rebuild() }
            if round == 1, adapter.factory.isPersistent {
                try await store.close()
                store = try await scratch.open(adapter)
            }
        }
    }

    @Test(
        "a shadowed event keeps the server's row and state, and leaves the visible row as it is", arguments: Adapter.all
    )
    func shadowed(adapter: Adapter) async throws {
        let scratch = try Scratch()
        var store = try await scratch.open(adapter)
        try await store.write { try $0.append(received: item("a", "first"), server: ServerState(version: 1)) }
        let mine = try await store.save(item("a", "mine")).first
        let changes = store.changes(of: Record.all(of: "Item"))
        var live = store.observe(Record.all(of: "Item")).makeAsyncIterator()
        #expect(try await live.next()?.items.map { $0["title"] } == ["mine"])
        try await store.write {
            try $0.append(received: item("a", "theirs"), server: version2, isShadowed: true)
            try $0.append(receivedDeletionOf: "Item", id: RecordID("b"), server: version2, isShadowed: true)
        }
        let event = try #require(try store.allEvents().last { $0.recordID == RecordID("a") })
        #expect(event.isShadowed && !event.changesRow && event.record?["title"] == "theirs")
        #expect(event.previous == mine && event.serverState == version2)
        try await forEachLife(of: &store, scratch, adapter) { (store) async throws in
            #expect(try await store.title("a") == "mine")
            #expect(try await store.serverState("a") == version2)
            #expect(try await store.serverState("b") == version2)
            #expect(try await store.history(of: "Item", id: RecordID("a")).events.map(\.kind) == [.received, .saved])
        }
        try await store.save(item("a", "mine again"))
        guard !adapter.factory.isPersistent else { return try await store.close() }
        var next = changes.makeAsyncIterator()
        #expect(try await next.next()?.value?["title"] == "mine again")
        #expect(try await live.next()?.items.map { $0["title"] } == ["mine again"])
        try await store.close()
    }

    @Test(
        "a shadowed event in one commit with saves is linked to a save, and does not change the visible row",
        arguments: Adapter.all)
    func shadowedInOneCommit(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        let commit = try await store.write { tx in
            try tx.save(item("a", "mine"))
            try tx.append(received: item("a", "theirs"), server: version2, isShadowed: true)
            #expect(try tx.record("Item", id: RecordID("a"))?["title"] == "mine")
            #expect(try tx.serverState(of: "Item", id: RecordID("a")) == version2)
            try tx.save(item("a", "mine too"))
        }
        let events = try store.allEvents().suffix(3)
        #expect(events.map(\.previous) == [.zero, commit.first, commit.first])
        #expect(try await store.title("a") == "mine too")
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("notes are kept under their names until they are replaced or removed", arguments: Adapter.all)
    func notes(adapter: Adapter) async throws {
        let scratch = try Scratch()
        var store = try await scratch.open(adapter)
        try await store.write { tx in
            try tx.append(noted: "sent", value: [0])
            try tx.append(noted: "sent.1", value: [1])
            try tx.append(noted: "sent.2", value: [])
            try tx.append(noted: "sync", value: [9])
            #expect(try tx.note("sent.1") == [1])
            try tx.append(noted: "sent.1", value: [2])
            #expect(try tx.note("sent.1") == [2])
        }
        try await store.write { try $0.append(noted: "sync", value: nil) }
        #expect(try store.allEvents().filter { $0.kind == .noted }.allSatisfy { !$0.asksForMutation && $0.key.isEmpty })
        try await forEachLife(of: &store, scratch, adapter) { (store) async throws in
            try await store.read { snapshot in
                #expect(try snapshot.note("sent.1") == [2] && snapshot.note("sync") == nil && snapshot.note("s") == nil)
                for (prefix, names) in [
                    "sent": ["sent", "sent.1", "sent.2"], "sent.": ["sent.1", "sent.2"],
                    "": ["sent", "sent.1", "sent.2"], "t": [],
                ] {
                    var found: [String] = []
                    try snapshot.forEachNote(prefix: prefix) { note in
                        found.append(note.name)
                        return true
                    }
                    #expect(found == names)
                }
            }
        }
        #expect(try await store.compact().droppedCount == 3)
        #expect(try store.allEvents().compactMap(\.note).map(\.name) == ["sent", "sent.2", "sent.1"])
        #expect(try await store.compact().droppedCount == 0)
        try await store.rebuild()
        #expect(try await store.read { try $0.note("sent.1") } == [2])
        #expect(try await store.verify().isWhole)
        try await store.close()
    }

    @Test("a note whose name or value is too long, or whose name is empty, is refused and changes nothing")
    func refusedNotes() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        let head = try store.head
        let tooLong = String(repeating: "n", count: Limits.noteNameByteCount + 1)
        for (name, count) in [("", 0), (tooLong, 0), ("large", Limits.noteByteCount + 1)] {
            let error = await #expect(throws: DataStoreError.self) {
                try await store.write { try $0.append(noted: name, value: [UInt8](repeating: 1, count: count)) }
            }
            #expect(error?.code == .invalidValue)
        }
        #expect(try store.head == head)
        let largest = [UInt8](repeating: 7, count: Limits.noteByteCount)
        try await store.write { try $0.append(noted: String(tooLong.dropLast()), value: largest) }
        #expect(try await store.read { try $0.note(String(tooLong.dropLast())) } == largest)
        try await store.close()
    }

    @Test(
        "a write can read server states and the latest event of a row, including the write's own events",
        arguments: Adapter.all)
    func readInsideWrite(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        let saved = try await store.save(item("a", "1")).first
        let deleted = try await store.write { tx in
            try tx.save(item("b", "1"))
            _ = try tx.delete("Item", id: RecordID("b"))
        }
        try await store.write { tx in
            #expect(try tx.latestSequence(of: "Item", id: RecordID("a")) == saved)
            #expect(try tx.latestSequence(of: "Item", id: RecordID("b")) == deleted.last)
            #expect(try tx.latestSequence(of: "Item", id: RecordID("c")) == .zero)
            #expect(try tx.serverState(of: "Item", id: RecordID("a")) == nil)
            try tx.append(received: item("a", "theirs"), server: version2, isShadowed: true)
            #expect(try tx.latestSequence(of: "Item", id: RecordID("a")) == saved)
            #expect(try tx.serverState(of: "Item", id: RecordID("a")) == version2)
            #expect(try tx.serverStateSequence(of: "Item", id: RecordID("a")) == SequenceNumber(deleted.last.value + 1))
            try tx.append(received: item("a", "theirs"), server: version2)
            #expect(try tx.latestSequence(of: "Item", id: RecordID("a")) == SequenceNumber(deleted.last.value + 2))
            try tx.append(leftScope: "Item", id: RecordID("a"))
            #expect(try tx.serverState(of: "Item", id: RecordID("a")) == nil)
        }
        await #expect(throws: DataStoreError.self) {
            try await store.write { _ = try $0.serverState(of: "Nothing", id: RecordID("a")) }
        }
        try await store.close()
    }

    @Test(
        "fields that the code does not declare keep their values when a server's row arrives", arguments: Adapter.all,
        [false, true])
    func retained(adapter: Adapter, isEncoded: Bool) async throws {
        guard adapter.factory.isPersistent else { return }
        let scratch = try Scratch()
        let wide = try await scratch.open(adapter, schema: widerItemSchema)
        for id in ["a", "b"] {
            var record = item(id, "old", rank: 1)
            record["note"] = .string("kept")
            try await wide.save(record)
        }
        try await wide.close()
        let narrow = try await scratch.open(adapter, schema: itemSchema)
        let model = try narrow.layout.required("Item")
        for id in ["a", "b", "c"] {
            let record = item(id, "theirs")
            try await narrow.write { tx in
                guard isEncoded else {
                    return try tx.append(received: record, server: version2, isShadowed: id == "b")
                }
                let arena = ByteArena()
                var encoder = RowEncoder(arena: arena, layout: model.row)
                try record.encode(into: &encoder, layout: model)
                #expect(encoder.finish() == nil)
                try tx.append(received: arena.row(), of: model, server: version2, isShadowed: id == "b")
            }
        }
        try await narrow.close()
        let again = try await scratch.open(adapter, schema: widerItemSchema)
        let records = try await again.fetch(Record.all(of: "Item"))
        #expect(records.map { $0["title"] } == ["theirs", "old", "theirs"])
        #expect(records.map { $0["note"] } == ["kept", "kept", nil])
        #expect(records.map { $0["rank"] } == [nil, .int(1), nil])
        let shadowed = try #require(try again.allEvents().first(where: \.isShadowed)?.record)
        #expect(shadowed["title"] == "theirs" && shadowed["note"] == "kept")
        #expect(try await again.verify().isWhole)
        try await again.close()
    }

    @Test("salvage uses the rows to restore notes whose events are lost, and removed notes stay removed")
    func salvaged() async throws {
        let scratch = try Scratch()
        let adapter = Adapter(factory: .lmdb())
        let store = try await scratch.open(adapter)
        try await store.save(item("a", "1"))
        try await store.write { try $0.append(noted: "kept", value: [1]) }
        try await store.write { try $0.append(noted: "gone", value: [2]) }
        try await store.write { try $0.append(noted: "kept", value: [3]) }
        try await store.write { try $0.append(noted: "gone", value: nil) }
        let lost = try store.allEvents().filter { $0.sequence > SequenceNumber(4) }.map(\.bytes)
        try await store.close()
        try flip(lost, in: scratch.path())
        let report = try await StoreFiles.salvage(
            from: scratch.path(), to: scratch.path("saved"), adapter: adapter.factory)
        #expect(report.noteCount == 2)
        let saved = try await scratch.open(adapter, "saved", schema: nil)
        #expect(try await saved.read { try $0.note("kept") } == [3])
        #expect(try await saved.read { try $0.note("gone") } == nil)
        #expect(try await saved.verify().isWhole)
        try await saved.close()
    }

    @Test("a verification finds notes that are missing, wrong, or follow from no event", arguments: Adapter.all)
    func verified(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        let sequence = try await store.write { try $0.append(noted: "n", value: [1]) }.first
        let name = Array("n".utf8)
        let header = sequence.value.littleEndianBytes
        let changes: [(any AdapterTransaction) throws -> Void] = [
            { transaction in
                try name.withUnsafeBytes { try transaction.deleteAuxiliary($0, in: .notes) }
            },
            { try Self.put(name, header + [1, 2], $0) },
            { try Self.put(name, header + [0], $0) },
            { try Self.put(name, [1, 2, 3], $0) },
            { try Self.put(Array("m".utf8), header + [1, 1], $0) },
        ]
        for change in changes { try await store.expectDifference(after: change) }
        try await store.close()
    }

    private static func put(_ name: [UInt8], _ entry: [UInt8], _ transaction: any AdapterTransaction) throws {
        try name.withUnsafeBytes { name in
            try entry.withUnsafeBytes { try transaction.putAuxiliary(name, $0, in: .notes) }
        }
    }
}
