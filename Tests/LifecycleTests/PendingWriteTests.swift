import Dispatch
import Foundation
import TestStores
import TestWaiting
import Testing
@_spi(Adapters) import Tidelog
import TidelogSynchronization

@_spi(Adapters) @testable import TidelogCore

@Suite("Writes that wait", .timeLimit(.minutes(5)))
struct PendingWriteTests {
    private func open(
        _ scratch: Scratch, _ adapter: Adapter = Adapter(factory: .inMemory())
    ) async throws -> (DataStore, Writer) {
        let store = try await scratch.open(adapter)
        return (store, try store.writer(of: store.current()))
    }

    /// Starts a write with an estimated size of `byteCount` bytes. Returns when the write waits for the writer. While a
    /// write that is larger than the limit runs, its bytes must be the only reserved ones.
    private func start(
        _ id: String, _ byteCount: Int, on store: DataStore, _ writer: Writer
    ) async throws -> Task<Commit, any Error> {
        let before = writer.load
        let write = Task {
            try await store.write(estimatedByteCount: byteCount) { tx in
                if byteCount > Limits.pendingByteCount { #expect(writer.load.byteCount == byteCount) }
                try tx.save(item(id, "t"))
            }
        }
        try await eventually { writer.load != before }
        return write
    }

    @Test("any number of waiting writes reserves at most the bytes of the limit, and all complete in order")
    func bounded() async throws {
        let scratch = try Scratch()
        let (store, writer) = try await open(scratch)
        let held = try await HeldWriter(writer)
        var writes: [Task<Commit, any Error>] = []
        for number in 0..<3_000 { writes.append(try await start("i\(number)", 1 << 20, on: store, writer)) }
        #expect(writer.load.byteCount == Limits.pendingByteCount)
        #expect(writer.load.waitingCount == 3_000 - 64)
        try await held.release()
        var last = SequenceNumber.zero
        for write in writes {
            let commit = try await write.value
            #expect(commit.first > last)
            last = commit.last
        }
        #expect(try await store.count(Record.all(of: "Item")) == 3_000)
        // The writer releases a group after it has reported the end of the group.
        try await eventually { writer.load == (0, 0) }
        try await store.close()
    }

    @Test("a waiting write that is cancelled ends at once and writes nothing, and later writes move up")
    func cancelled() async throws {
        let scratch = try Scratch()
        let (store, writer) = try await open(scratch)
        let held = try await HeldWriter(writer)
        let first = try await start("first", Limits.pendingByteCount - 100, on: store, writer)
        let large = try await start("large", Limits.pendingByteCount * 2, on: store, writer)
        let small = try await start("small", 100, on: store, writer)
        let others = try await start("other", 1, on: store, writer)
        #expect(writer.load.waitingCount == 3)
        large.cancel()
        await #expect(throws: CancellationError.self) { try await large.value }
        // The writer is still held, because the cancellation did not release it.
        #expect(writer.load == (Limits.pendingByteCount, 1))
        let lateness = try await start("late", 5 << 20, on: store, writer)
        try await held.release()
        for write in [first, small, others, lateness] { #expect(try await write.value.eventCount == 1) }
        #expect(
            try await store.fetch(Record.all(of: "Item")).map { $0["id"] }
                == ["first", "late", "other", "small"].map { .string($0) })
        #expect(try store.head.sequence.value == 5)
        try await store.close()
    }

    @Test("a write that is cancelled before its turn writes nothing, even if its bytes are already reserved")
    func cancelledPending() async throws {
        let scratch = try Scratch()
        let (store, writer) = try await open(scratch)
        let held = try await HeldWriter(writer)
        let write = try await start("a", 1, on: store, writer)
        write.cancel()
        try await held.release()
        await #expect(throws: CancellationError.self) { try await write.value }
        #expect(try await store.count(Record.all(of: "Item")) == 0)
        try await store.close()
    }

    @Test("a write that is larger than the limit has its turn alone, and leaves no bytes reserved")
    func larger() async throws {
        let scratch = try Scratch()
        let (store, writer) = try await open(scratch)
        let held = try await HeldWriter(writer)
        var writes: [Task<Commit, any Error>] = []
        for number in 0..<20 {
            let byteCount = [Int.max, .max / 4, 1][number % 3]
            writes.append(try await start("i\(number)", byteCount, on: store, writer))
        }
        #expect(writer.load == (Int.max, 19))
        try await held.release()
        for write in writes { _ = try await write.value }
        #expect(try await store.count(Record.all(of: "Item")) == 20)
        // The writer releases a group after it has reported the end of the group.
        try await eventually { writer.load == (0, 0) }
        try await store.close()
    }

    @Test("writes that arrive while a clear runs fail with storeCleared, and the cleared store stays empty")
    func storeCleared() async throws {
        let scratch = try Scratch()
        let memory = AdapterFactory.inMemory()
        let (isClearing, begun, gate) = (Shared(false), DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        // A clear makes an adapter for the new rows. It stops there until the writes wait.
        let factory = AdapterFactory(name: memory.name, isPersistent: false) { directory, isReadOnly in
            if isClearing.value {
                begun.signal()
                gate.wait()
            }
            return try memory.make(directory, isReadOnly)
        }
        let (store, writer) = try await open(scratch, Adapter(factory: factory))
        isClearing.set(true)
        let clearing = Task { try await store.clear() }
        try await Blocking.run { begun.wait() }
        var writes: [Task<Commit, any Error>] = []
        for number in 0..<10 { writes.append(try await start("i\(number)", 20 << 20, on: store, writer)) }
        // Three writes have room in the next group. The other writes wait for room.
        #expect(writer.load == (60 << 20, 7))
        gate.signal()
        try await clearing.value
        for write in writes {
            let error = await #expect(throws: DataStoreError.self) { try await write.value }
            #expect(error?.code == .storeCleared)
        }
        #expect(try await store.count(Record.all(of: "Item")) == 0)
        try await store.close()
    }

    @Test("writes that are queued together share one sync and keep their order, and one that fails leaves the others")
    func together() async throws {
        struct Refused: Error {}
        let scratch = try Scratch()
        let store = try await scratch.open(configuration: DataStoreConfiguration(durability: .full))
        let writer = try store.writer(of: store.current())
        let syncCount = try await store.metrics().syncCount
        let ends = try await store.writeEach(
            requireParents: false,
            (0..<25).map { number in
                { transaction in
                    try transaction.save(item("i\(number)", "t"))
                    if number % 5 == 3 { throw Refused() }
                    return try transaction.fetch(Record.all(of: "Item")).count
                }
            })
        #expect(try await store.metrics().syncCount - syncCount == 1)
        #expect(ends.enumerated().filter { (try? $1.get()) == nil }.map(\.offset) == [3, 8, 13, 18, 23])
        let commits = ends.compactMap { try? $0.get() }
        #expect(commits.map(\.result) == Array(1...20))
        #expect(zip(commits, commits.dropFirst()).allSatisfy { $0.commit.last < $1.commit.first })
        #expect(try await store.count(Record.all(of: "Item")) == 20)
        // The writer releases a group after it has reported the end of the group.
        try await eventually { writer.load == (0, 0) }
        try await store.close()
        let late: @Sendable (StoreTransaction) throws -> Void = { try $0.save(item("late", "t")) }
        await #expect(throws: DataStoreError.self) { _ = try await store.writeEach(requireParents: false, [late]) }
    }

    @Test("writes that are queued together end with the cancellation of their task, and those that wait write nothing")
    func togetherCancelled() async throws {
        let scratch = try Scratch()
        let (store, writer) = try await open(scratch)
        let held = try await HeldWriter(writer)
        // This write leaves no room in the next group, so the writes after it wait.
        let large = try await start("large", Limits.pendingByteCount, on: store, writer)
        let writes = Task {
            try await store.writeEach(
                requireParents: false,
                (0..<5).map { number in { transaction in try transaction.save(item("i\(number)", "t")) } })
        }
        try await eventually { writer.load.waitingCount == 5 }
        writes.cancel()
        for end in try await writes.value { #expect(throws: CancellationError.self) { try end.get() } }
        try await held.release()
        _ = try await large.value
        #expect(try await store.count(Record.all(of: "Item")) == 1)
        try await store.close()
    }

    @Test("a group stages a limited number of bytes, even if its writes are larger than their estimates")
    func stagedInParts() async throws {
        let scratch = try Scratch()
        let (store, writer) = try await open(scratch)
        let text = String(repeating: "x", count: 1 << 20)
        let syncCount = try await store.metrics().syncCount
        let held = try await HeldWriter(writer)
        let writes = (0..<150).map { number in Task { try await store.save(item("i\(number)", text)) } }
        try await eventually { writer.load.byteCount >= 150 * Limits.estimatedWriteByteCount }
        try await held.release()
        for write in writes { _ = try await write.value }
        #expect(try await store.metrics().syncCount - syncCount == 3)
        #expect(try await store.count(Record.all(of: "Item")) == 150)
        try await store.close()
    }

    @Test("a save beyond the size limit of a commit is refused at once, and the saves before it can be kept")
    func stagedTooMuch() async throws {
        let scratch = try Scratch()
        let (store, _) = try await open(scratch)
        let text = String(repeating: "x", count: 1 << 20)
        let savedCount = Mutex(0)
        let error = await #expect(throws: DataStoreError.self) {
            try await store.write { tx in
                for number in 0..<600 {
                    try tx.save(item("i\(number)", text))
                    savedCount.withLock { $0 += 1 }
                }
            }
        }
        #expect(error?.code == .transactionTooLarge)
        #expect(savedCount.withLock { $0 } == 63)
        // A refused save is not staged. The transaction may keep the saves before it.
        try await store.write { tx in
            for number in 0..<70 {
                do { try tx.save(item("j\(number)", text)) } catch let error as DataStoreError {
                    guard error.code == .transactionTooLarge else { throw error }
                }
            }
        }
        #expect(try await store.count(Record.all(of: "Item")) == 63)
        #expect(try await store.verify().isWhole)
        try await store.close()
    }
}
