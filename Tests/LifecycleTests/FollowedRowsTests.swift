import Foundation
import SeededNumbers
import TestStores
import TestWaiting
import Testing
@_spi(Adapters) import Tidelog

@_spi(Adapters) @testable import TidelogCore

@Suite("Rows that lack the last events of the log", .timeLimit(.minutes(5)))
struct FollowedRowsTests {
    /// Copies the files of `store` in the state in which a kill at this moment would leave them. The rows must not change
    /// during this: no event waits to be projected, or the caller has the right to change the rows.
    private func copy(_ store: DataStore, _ part: String = "", from source: URL, to target: URL) async throws {
        let writer = try #require(try store.current().writer)
        let held = try await HeldWriter(writer)
        try? FileManager.default.removeItem(at: target.appending(path: part))
        try FileManager.default.copyItem(at: source.appending(path: part), to: target.appending(path: part))
        try await held.release()
    }

    /// Opens the store at `path` for reading, while another process holds the store and does not project.
    private func open(_ path: URL, _ adapter: Adapter) throws -> Generation {
        let directory = try StoreDirectory(path.path, create: false)
        let log = try EventLog(reading: directory.log(1, 1))
        let schemas = SchemaHistory(try log.schemas())
        let projector = try Projector(projections: [], schemas: schemas)
        let opening = RowsOpening(
            directory: directory, generation: 1, factory: adapter.factory, log: log,
            layout: try schemas.layout(version: 1), projector: projector)
        let rows = try opening.openForReading()
        try #require(rows.adapter as? FollowedRows).waitForWriter()
        let parts = Generation.OpenedParts(
            number: 1, log: log, logWriter: nil, rows: rows, schemas: schemas, opening: opening)
        return Generation(parts, store: StoreHandle(), runsInline: false)
    }

    /// The last event that the rows of the store at `path` contain on disk.
    private func projectedSequence(_ path: URL, _ adapter: Adapter) throws -> SequenceNumber? {
        let rows = try adapter.factory.make(path.appending(path: "generation-1/rows-1").path, true)
        defer { try? rows.close() }
        let snapshot = try rows.snapshot()
        defer { snapshot.end() }
        return try snapshot.checkpoint()?.sequence
    }

    private func entries(_ reader: any AdapterReader, _ table: AuxiliaryTable) throws -> [[[UInt8]]] {
        var entries: [[[UInt8]]] = []
        try reader.auxiliaryEntries(after: nil, in: table) { key, value in
            entries.append([Array(key), Array(value)])
            return true
        }
        for entry in entries {
            let after = try entry[0].withUnsafeBytes { try reader.auxiliaryValue($0, in: table).map { Array($0) } }
            #expect(after == entry[1])
        }
        return entries
    }

    private func expectEqual(_ found: StoreSnapshot, _ expected: StoreSnapshot, _ note: Comment) throws {
        #expect(try found.sequence == expected.sequence, note)
        #expect(try found.stateHash() == expected.stateHash(), note)
        for table in AuxiliaryTable.builtIn {
            #expect(try entries(found.reader, table) == entries(expected.reader, table), note)
        }
        for number in 0..<12 {
            let id = RecordID("r\(number)")
            #expect(try found.record("Item", id: id) == expected.record("Item", id: id), note)
            #expect(try found.serverState("Item", id: id) == expected.serverState("Item", id: id), note)
        }
        let sorts = [
            Sort.byKey, Sort([Sort.Key("rank")]), Sort([Sort.Key("rank", isDescending: true)]),
            Sort([Sort.Key("title", isDescending: true)]), Sort([Sort.Key("rank"), Sort.Key("title")]),
        ]
        let predicates: [QueryPredicate] = [
            .all, .field("rank", .greater(.int(1))), .field("rank", .equal(nil)), .field("title", .beginsWith("t1")),
        ]
        let pages = [Page.all, .first(3), Page(offset: 2, limit: 4), Page(offset: 5), .first(0), .first(.max)]
        for predicate in predicates {
            for sort in sorts {
                for page in pages {
                    let records = try found.fetch(Record.all(of: "Item").where(predicate).sorted(by: sort).page(page))
                    #expect(
                        try records
                            == expected.fetch(Record.all(of: "Item").where(predicate).sorted(by: sort).page(page)),
                        "\(note), \(predicate), \(sort), \(page)")
                    #expect(try found.count(Record.all(of: "Item").where(predicate).page(page)) == records.count, note)
                }
            }
        }
    }

    @Test(
        "a reader adds the missing events from the log, and gives the same answers as with complete rows",
        arguments: Adapter.persistent, [1, 2, 3, 4, 5] as [UInt64])
    func sameAnswers(adapter: Adapter, seed: UInt64) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        var history = RandomHistory(store, seed: seed, hasServer: true)
        var behindCount = 0
        for round in 0..<6 {
            try await history.run(15)
            _ = try await store.count(Record.all(of: "Item"))
            let behind = scratch.path("behind\(round)")
            try await copy(store, from: scratch.path(), to: behind)
            try await history.run(round * 8)
            try await copy(store, "generation-1/log", from: scratch.path(), to: behind)
            let lock = try WriterLock(directory: behind.path)
            let generation = try open(behind, adapter)
            let found = StoreSnapshot(generation, try generation.rows.snapshot())
            try await store.read { expected in
                try expectEqual(found, expected, "seed \(seed), round \(round)")
            }
            found.end()
            try generation.close()
            if try projectedSequence(behind, adapter) ?? .zero < store.head.sequence { behindCount += 1 }
            withExtendedLifetime(lock) {}
        }
        #expect(behindCount == 5, "the rows of all rounds but the first lack events on disk")
        try await store.close()
    }

    @Test("rows that lack events are completed when the store is opened for reading", arguments: Adapter.persistent)
    func mended(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        let rows = try store.current().rows
        try rows.takeTurn()
        try await store.write { tx in for number in 0..<100 { try tx.save(item("r\(number)", "t")) } }
        try await copy(store, from: scratch.path(), to: scratch.path("behind"))
        rows.endTurn()
        let hash = try await store.hash()
        try await store.close()
        let reader = try await scratch.open(
            adapter, "behind", schema: nil, configuration: DataStoreConfiguration(isReadOnly: true))
        #expect(try await reader.count(Record.all(of: "Item")) == 100)
        #expect(try await reader.hash() == hash)
        try await reader.close()
        #expect(try projectedSequence(scratch.path("behind"), adapter) == SequenceNumber(101))
        let writer = try await scratch.open(adapter, "behind")
        #expect(try await writer.verify().isWhole)
        try await writer.close()
    }

    @Test(
        "a reader adds missing events from the log if another process holds the store and does not project",
        arguments: Adapter.persistent)
    func standStill(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        // The tail keeps every group, so that only the files of the tail tell the other store about new groups.
        try await store.logAbsorber().stop()
        try await store.save(item("r0", "t"))
        #expect(try await store.count(Record.all(of: "Item")) == 1)
        try await copy(store, from: scratch.path(), to: scratch.path("behind"))
        let lock = try WriterLock(directory: scratch.path("behind").path)
        let configuration = DataStoreConfiguration(isReadOnly: true)
        let reader = try await scratch.open(adapter, "behind", schema: nil, configuration: configuration)
        #expect(try await reader.count(Record.all(of: "Item")) == 1)
        for count in 2..<5 {
            try await store.save(item("r\(count)", "t"))
            try await copyTail(of: store, from: scratch.path(), to: scratch.path("behind"))
            try await eventually { try await reader.count(Record.all(of: "Item")) >= count }
            #expect(try await reader.hash() == store.hash())
        }
        try await reader.close()
        // A reader that opens the store now waits for a moment. Then it has all records at once.
        let late = try await scratch.open(adapter, "behind", schema: nil, configuration: configuration)
        #expect(try await late.count(Record.all(of: "Item")) == 4)
        #expect(try await late.title("r4") == "t")
        #expect(try await late.verify().isWhole)
        try await late.close()
        withExtendedLifetime(lock) {}
        try await store.close()
    }

    /// Writes the content of the tail of `store` into the files that the other store has open.
    private func copyTail(of store: DataStore, from source: URL, to target: URL) async throws {
        let held = try await HeldWriter(#require(try store.current().writer))
        for name in ["generation-1/log/tail-1", "generation-1/log/tail-2"] {
            guard let bytes = try? Data(contentsOf: source.appending(path: name)) else { continue }
            let file = try FileHandle(forWritingTo: target.appending(path: name))
            try file.write(contentsOf: bytes)
            try file.close()
        }
        try await held.release()
    }

    @Test("a reader that lacks the projections of the rows leaves the rows as they are", arguments: Adapter.persistent)
    func otherProjections(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let configuration = DataStoreConfiguration(durability: .relaxed, projections: [TitleCounts()])
        var store = try await scratch.open(adapter, configuration: configuration)
        try await store.save(item("a", "t"))
        #expect(try await store.count(Record.all(of: "Item")) == 1)
        try await copy(store, from: scratch.path(), to: scratch.path("behind"))
        try await store.save(item("b", "t"))
        try await copy(store, "generation-1/log", from: scratch.path(), to: scratch.path("behind"))
        try await store.close()
        let reader = try await scratch.open(
            adapter, "behind", schema: nil, configuration: DataStoreConfiguration(isReadOnly: true))
        #expect(try await reader.count(Record.all(of: "Item")) == 2)
        try await reader.close()
        store = try await scratch.open(adapter, "behind", configuration: configuration)
        #expect(try await store.read { try $0.projectedValue("titles", for: Array("t".utf8)) } == [2])
        let names = try FileManager.default.contentsOfDirectory(atPath: scratch.path("behind/generation-1").path)
        #expect(names.sorted() == ["log", "rows-1"])
        try await store.close()
    }
}

/// Counts how often each title was saved.
private struct TitleCounts: TidelogCore.Projection {
    let name = "titles"
    let version: UInt32 = 1

    func project(_ event: Event, into table: ProjectionTable) throws {
        guard event.kind == .saved, case .string(let title)? = event.record?["title"] else { return }
        let key = Array(title.utf8)
        try table.put([(try table.value(for: key)?.first ?? 0) + 1], for: key)
    }
}
