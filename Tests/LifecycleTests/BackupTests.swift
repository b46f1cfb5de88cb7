import Foundation
import TestStores
import Testing
import Tidelog
import TidelogLMDB

@testable import TidelogCore

@Suite("Backup")
struct BackupTests {
    @Test("a backup that is made during writes has the whole log up to the end of one commit", arguments: Adapter.all)
    func duringWrites(adapter: Adapter) async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(adapter)
        try await store.write { tx in for id in 0..<2_000 { try tx.save(item("r\(id)", "t")) } }
        let writing = Task {
            var round = 0
            while !Task.isCancelled {
                let number = round
                try await store.write { tx in for id in 0..<3 { try tx.save(item("w\(number)-\(id)", "t")) } }
                round += 1
            }
        }
        for copy in 0..<3 {
            let end = try await store.backup(to: scratch.path("copy\(copy)"))
            #expect(end.sequence <= (try store.head.sequence))
            #expect((end.sequence.value - 2_001) % 3 == 0)
            #expect(try await StoreFiles.verifyLog(at: scratch.path("copy\(copy)")).lastGood == end.sequence)
            #expect(try store.position(of: end.sequence) == end)
        }
        writing.cancel()
        _ = await writing.result
        let end = try await store.backup(to: scratch.path("last"))
        #expect(end == (try store.head))
        let copy = try await scratch.open(adapter, "last")
        #expect(try await copy.hash() == (try await store.hash()))
        #expect(try copy.id == (try store.id))
        #expect(try await copy.verify().isWhole)
        try await copy.close()
        try await store.close()
    }

    @Test("a copy of a store gets its own incarnation when it is first opened for writing")
    func incarnation() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        try await store.save(item("a", "1"))
        try await store.backup(to: scratch.path("copy"))
        let copy = try await scratch.open(Adapter(factory: .inMemory()), "copy")
        let first = try await store.save(item("a", "2"))
        let second = try await copy.save(item("a", "3"))
        #expect(first == second)
        let ours = try #require(try store.allEvents().last), theirs = try #require(try copy.allEvents().last)
        #expect(ours.mutationID != theirs.mutationID)
        #expect(ours.position != theirs.position)
        let incarnation = theirs.mutationID.incarnation
        #expect(incarnation != LogMetadata.copyIncarnation)
        try await copy.close()
        let again = try await scratch.open(Adapter(factory: .inMemory()), "copy")
        try await again.save(item("a", "4"))
        #expect(try again.allEvents().last?.mutationID.incarnation == incarnation)
        try await again.close()
        try await store.close()
    }

    @Test("a backup never overwrites other files, and replaces the remains of a killed backup")
    func existing() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        try await store.save(item("a", "1"))
        try FileManager.default.createDirectory(
            at: scratch.path("copy.new/generation-1/log"), withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700])
        try await store.backup(to: scratch.path("copy"))
        for (name, taken) in [("copy", "copy"), ("other", "other.new/mine")] {
            try? FileManager.default.createDirectory(
                at: scratch.path(taken), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            let error = await #expect(throws: DataStoreError.self) { try await store.backup(to: scratch.path(name)) }
            #expect(error?.code == .alreadyExists)
            #expect(FileManager.default.fileExists(atPath: scratch.path(taken).path))
        }
        try await store.close()
        let reader = try await scratch.open(
            Adapter(factory: .inMemory()), schema: nil, configuration: DataStoreConfiguration(isReadOnly: true))
        try await reader.backup(to: scratch.path("third"))
        try await reader.close()
        #expect(try await StoreFiles.verifyLog(at: scratch.path("third")).isWhole)
    }

    @Test("a backup into the store's own directory is refused, by any path to it")
    func intoTheStore() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open(Adapter(factory: .lmdb()))
        try await store.save(item("a", "1"))
        try FileManager.default.createSymbolicLink(at: scratch.path("link"), withDestinationURL: scratch.path())
        let before = try FileManager.default.subpathsOfDirectory(atPath: scratch.path().path).sorted()
        for name in ["store/copy", "store/generation-1/copy", "link/copy", "store/../link/generation-1/log/copy"] {
            let error = await #expect(throws: DataStoreError.self) { try await store.backup(to: scratch.path(name)) }
            #expect(error?.code == .unsafePath, "\(name)")
        }
        #expect(try FileManager.default.subpathsOfDirectory(atPath: scratch.path().path).sorted() == before)
        try await store.backup(to: scratch.path("store-copy"))
        #expect(try await StoreFiles.verifyLog(at: scratch.path("store-copy")).isWhole)
        try await store.close()
    }

    @Test("if several backups to one name run at the same time, exactly one succeeds")
    func atTheSameTime() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        try await store.write { tx in for id in 0..<3_000 { try tx.save(item("r\(id)", "t")) } }
        for round in 0..<10 {
            let target = scratch.path("copy\(round)")
            let madeCount = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        do {
                            try await store.backup(to: target)
                            return true
                        } catch let error as DataStoreError {
                            #expect(error.code == .alreadyExists, "\(error)")
                            return false
                        }
                    }
                }
                return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
            }
            #expect(madeCount == 1)
            #expect(try await StoreFiles.verifyLog(at: target).isWhole)
            #expect(!FileManager.default.fileExists(atPath: target.path + ".new"))
        }
        try await store.close()
    }

    @Test("a damaged log is not backed up")
    func damagedLog() async throws {
        let scratch = try Scratch()
        let store = try await scratch.open()
        for id in 0..<5 { try await store.save(item("r\(id)", "t")) }
        // This read makes the rows follow the log. Otherwise the store would read the waiting events later, and find
        // the damage then.
        #expect(try await store.count(Record.all(of: "Item")) == 5)
        let log = try store.current().log
        try await store.logEnvironment().commit { transaction in
            try withIntegerKey(3) { key in
                guard var bytes = try transaction.get(log.keyspaces.events, key).map({ Array($0) }) else { return }
                bytes[40] ^= 1
                try bytes.withUnsafeBytes { try transaction.put(log.keyspaces.events, key, $0) }
            }
        }
        let error = await #expect(throws: DataStoreError.self) { try await store.backup(to: scratch.path("copy")) }
        #expect(error?.code == .logDamaged)
        #expect(!FileManager.default.fileExists(atPath: scratch.path("copy").path))
        #expect(!FileManager.default.fileExists(atPath: scratch.path("copy.new").path))
        let report = try await store.verify()
        #expect(report.damaged.map(\.sequence) == [SequenceNumber(3)] && report.projection == nil)
        try await store.close()
    }
}
