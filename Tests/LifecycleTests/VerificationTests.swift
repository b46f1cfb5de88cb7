import Foundation
import SeededNumbers
import TestStores
import Testing
@_spi(Adapters) import Tidelog
import TidelogLMDB

@_spi(Adapters) @testable import TidelogCore

@Suite("Verification and salvage")
struct VerificationTests {
    private func makeStore(_ scratch: Scratch, commits: Int = 20) async throws {
        let store = try await scratch.open()
        for commit in 0..<commits {
            try await store.write { tx in
                for id in 0..<3 { try tx.save(item("c\(commit)-\(id)", "some text \(commit)")) }
            }
        }
        try await store.close()
    }

    @Test("verification of a whole store compares the rows, and reports the hash of the rows", arguments: Adapter.all)
    func whole(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        var history = RandomHistory(store, seed: 3, hasServer: true)
        try await history.run(150)
        let report = try await store.verify()
        #expect(report.isWhole, "\(report.damaged) \(report.differences)")
        #expect(report.projection == .equal)
        #expect(report.eventCount == (try store.allEvents().count))
        #expect(report.lastGood == (try store.head.sequence))
        #expect(report.stateHash == (try await store.hash()))
        try await store.close()
        let log = try await StoreFiles.verifyLog(at: scratch.path())
        #expect(log.isWhole && log.projection == nil && log.eventCount == report.eventCount)
    }

    @Test("verification finds every flipped bit of an event, and names the event")
    func flippedBits() async throws {
        var random = SeededGenerator(5)
        for _ in 0..<40 {
            let scratch = try Scratch()
            try await makeStore(scratch, commits: 3)
            let sequence = UInt64.random(in: 1...10, using: &random)
            let choice = random.next()
            try damage(scratch.path(), [sequence]) { bytes in
                bytes[Int(choice % UInt64(bytes.count))] ^= 1 << UInt8(choice >> 60 & 7)
            }
            let report = try await StoreFiles.verifyLog(at: scratch.path())
            #expect(report.damaged.map(\.sequence) == [SequenceNumber(sequence)])
            #expect(report.lastGood == SequenceNumber(sequence - 1))
            await #expect(throws: DataStoreError.self) {
                _ = try await scratch.open(Adapter(factory: .lmdb()))
            }
        }
    }

    @Test("verification finds missing events above the floor and below it")
    func missing() async throws {
        let scratch = try Scratch()
        try await makeStore(scratch)
        try damage(scratch.path(), [30]) { $0 = [] }
        #expect(try await StoreFiles.verifyLog(at: scratch.path()).damaged.map(\.sequence) == [SequenceNumber(31)])

        let second = try Scratch()
        try await makeStore(second)
        let store = try await second.open()
        try await store.save(item("c1-1", "newer"))
        #expect(try await store.compact().droppedCount == 1)
        try await store.close()
        #expect(try await StoreFiles.verifyLog(at: second.path()).isWhole)
        try damage(second.path(), [30]) { $0 = [] }
        #expect(try await !StoreFiles.verifyLog(at: second.path()).isWhole)
    }

    @Test("verification finds wrong, missing and extra rows, tombstones and server states", arguments: Adapter.all)
    func rows(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        for id in 0..<5 { try await store.save(item("r\(id)", "t\(id)")) }
        try await store.write { _ = try $0.delete("Item", id: RecordID("r4")) }
        try await store.write { try $0.append(received: item("s", "x"), server: ServerState(version: 1)) }
        let deletion = try await store.write { _ = try $0.delete("Item", id: RecordID("r3")) }.last.value
        try await store.save(item("r3", "again"))
        let leaving = try await store.write {
            try $0.append(received: item("left", "x"), server: ServerState(version: 3))
            try $0.append(leftScope: "Item", id: RecordID("left"))
        }
        #expect(try await store.verify().isWhole)
        let model = try #require(try store.layout.model(named: "Item"))
        let changes: [(any AdapterTransaction) throws -> Void] = [
            { transaction in
                try model.withKey(of: RecordID("r1")) { key in
                    let change = RowChange(key: key, sequence: .zero, row: nil, existed: true, changedFields: .all)
                    try withUnsafePointer(to: change) {
                        try transaction.apply(UnsafeBufferPointer(start: $0, count: 1), to: model)
                    }
                }
            },
            { transaction in
                try model.withKey(of: RecordID("r2")) { key in
                    guard let row = try transaction.get(key, in: model) else { throw MissingEvent() }
                    var bytes = Array(row.row.bytes)
                    bytes[bytes.count - 1] ^= 1
                    let sequence = row.sequence
                    try bytes.withUnsafeBytes { bytes in
                        let change = RowChange(
                            key: key, sequence: sequence, row: try RowView(bytes), existed: true, changedFields: .all)
                        try withUnsafePointer(to: change) {
                            try transaction.apply(UnsafeBufferPointer(start: $0, count: 1), to: model)
                        }
                    }
                }
            },
            { try model.withKey(of: RecordID("r4"), $0.deletingTombstone(model.number)) },
            { try model.withKey(of: RecordID("s"), $0.deletingServerState(model.number)) },
            // A tombstone that the record's later row should have removed.
            { transaction in
                try model.withKey(of: RecordID("r3")) { try transaction.putTombstone(deletion, model.number, $0) }
            },
            // A server state that should have been removed when its record left the scope.
            { transaction in
                try model.withKey(of: RecordID("left")) { key in
                    let told = ServerState.Entry(ServerState(version: 3), leaving.first)
                    try transaction.putServerState(told, model.number, key)
                }
            },
        ]
        for change in changes { try await store.expectDifference(after: change) }
        try await store.close()
    }

    @Test("a forged event with a valid checksum is found, and a salvaged copy is whole with a floor above it")
    func forged() async throws {
        let scratch = try Scratch()
        try await makeStore(scratch)
        var chain: UInt64 = 0
        try damage(scratch.path(), [30]) {
            chain = $0.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: 8, as: UInt64.self) }
        }
        try damage(scratch.path(), [30]) { $0[$0.count / 2] ^= 0x11 }
        try damage(scratch.path(), [31]) { bytes in
            bytes[32] ^= 1
            let body = Array(bytes.dropFirst(16))
            let seal = body.withUnsafeBytes { Checksum.seal(body: $0, length: UInt32(bytes.count), after: chain) }
            bytes.replaceSubrange(4..<8, with: seal.checksum.littleEndianBytes)
            bytes.replaceSubrange(8..<16, with: seal.chain.littleEndianBytes)
        }
        #expect(!(try await StoreFiles.verifyLog(at: scratch.path()).isWhole))
        try await StoreFiles.salvage(from: scratch.path(), to: scratch.path("saved"))
        let saved = try await StoreFiles.verifyLog(at: scratch.path("saved"))
        #expect(saved.isWhole, "\(saved.damaged)")
        // The chain breaks between the forged event and event 32, whose commit ends with event 34.
        let log = try EventLog(readingStoreAt: scratch.path("saved").path)
        defer { log.close() }
        #expect(log.metadata.floor.sequence == SequenceNumber(34))
    }

    @Test("event keys that are out of order are reported as damage, and do not crash the process")
    func keyOutOfOrder() async throws {
        let scratch = try Scratch()
        try await makeStore(scratch)
        let path = scratch.path().appending(path: "generation-1/log/data.mdb")
        let whole = try Data(contentsOf: path)
        var foundCount = 0
        for bit in [0, 1, 5, 40, 63] {
            var file = whole
            // In a leaf page of LMDB, the header of an entry ends with the length of the key, and the key follows. This
            // changes the key in every copy of event 30.
            let key = Data([8, 0]) + Data((30 as UInt64).littleEndianBytes)
            while let range = file.range(of: key) { file[range.lowerBound + 2 + bit / 8] ^= 1 << UInt8(bit % 8) }
            try file.write(to: path)
            let report = try await StoreFiles.verifyLog(at: scratch.path())
            if !report.isWhole { foundCount += 1 }
        }
        #expect(foundCount == 5)
    }

    @Test("a log without a readable file is refused")
    func unreadable() async throws {
        let scratch = try Scratch()
        try await makeStore(scratch)
        try Data().write(to: scratch.path().appending(path: "generation-1/log/data.mdb"))
        for attempt in 0..<2 {
            let unreadable = await #expect(throws: DataStoreError.self) {
                if attempt == 0 {
                    _ = try await StoreFiles.verifyLog(at: scratch.path())
                } else {
                    _ = try await scratch.open()
                }
            }
            #expect(unreadable?.code == .logDamaged)
        }
    }
}

extension Adapter {
    var memory: Adapter { Adapter(factory: .inMemory()) }
}

extension AdapterTransaction {
    func deletingTombstone(_ model: UInt32) -> (UnsafeRawBufferPointer) throws -> Void {
        { try self.deleteTombstone(model, $0) }
    }

    func deletingServerState(_ model: UInt32) -> (UnsafeRawBufferPointer) throws -> Void {
        { try self.deleteServerState(model, $0) }
    }
}

extension DataStore {
    /// Changes the rows without the log. Expects that a verification finds a difference, and that a rebuild repairs it.
    func expectDifference(after change: (any AdapterTransaction) throws -> Void) async throws {
        let generation = try current()
        let transaction = try generation.rows.current.adapter().begin()
        try change(transaction)
        try transaction.commit(checkpoint: generation.rows.checkpoint(at: head))
        let report = try await verify()
        #expect(report.projection == .differs && report.damaged.isEmpty)
        #expect(!report.differences.isEmpty)
        try await rebuild()
        #expect(try await verify().isWhole)
    }
}
