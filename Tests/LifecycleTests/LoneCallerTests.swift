import Dispatch
import TestStores
import TestWaiting
import Testing
import TidelogPlatform
import TidelogSynchronization

@testable import Tidelog
@testable import TidelogCore

@Suite("Writes on the thread of their caller", .timeLimit(.minutes(5)))
struct LoneCallerTests {
    private static let short = LoneCaller.longestGroup
    private let place = LoneCaller.Place(hasOtherThreads: true)

    /// Notes as many short groups with one write as a lone caller needs.
    private static func noteShortGroups(_ caller: LoneCaller) {
        for _ in 0..<LoneCaller.enoughGroups { caller.note(writeCount: 1, short) }
    }

    @Test("a caller runs its own write after eight groups of one write, if the last one was short")
    func rule() {
        let caller = LoneCaller(place)
        for _ in 0..<LoneCaller.enoughGroups {
            #expect(!caller.begin())
            caller.note(writeCount: 1, .seconds(1))
        }
        #expect(!caller.begin())
        caller.note(writeCount: 1, Self.short)
        #expect(caller.begin())
        caller.end()
        caller.note(writeCount: 2, Self.short)
        #expect(!caller.begin())
        Self.noteShortGroups(caller)
        #expect(caller.begin())
        caller.end()
    }

    @Test("one caller of a process waits for a sync at a time, and none if the pool has one thread")
    func oneOfAProcess() {
        let (first, second) = (LoneCaller(place), LoneCaller(place))
        let alone = LoneCaller(.init(hasOtherThreads: false))
        for caller in [first, second, alone] { Self.noteShortGroups(caller) }
        #expect(first.begin() && !second.begin() && !alone.begin())
        first.end()
        #expect(second.begin())
        second.end()
    }

    private actor Saver {
        /// Whether a write of this actor runs on the actor's thread.
        func writesHere(_ writer: Writer) async throws -> Bool {
            let thread = Platform.currentThread
            return try await writer.write { _ in Platform.currentThread == thread }.result
        }
    }

    private func open(_ scratch: Scratch) async throws -> (DataStore, Writer) {
        let store = try await scratch.open(
            .init(factory: .inMemory()), configuration: DataStoreConfiguration(durability: .full))
        return (store, try store.writer(of: store.current()))
    }

    @Test(
        "a task without an actor runs its own write, and an actor does not",
        .enabled(if: Platform.processorCount > 1))
    func thread() async throws {
        let scratch = try Scratch()
        let (store, writer) = try await open(scratch)
        let saver = Saver()
        // Another test may take the place of this process, so that the task tries again.
        try await eventually("a write runs on the thread of its caller") {
            Self.noteShortGroups(writer.loneCaller)
            #expect(try await !saver.writesHere(writer))
            Self.noteShortGroups(writer.loneCaller)
            let thread = Platform.currentThread
            return try await store.writeReturning { tx in
                try tx.save(item("a", "title"))
                return Platform.currentThread == thread
            }.result
        }
        #expect(try await store.count(Record.all(of: "Item")) == 1)
        try await store.close()
    }

    @Test(
        "a writer that is closed during a caller's own write ends after that write",
        .enabled(if: Platform.processorCount > 1))
    func closing() async throws {
        let scratch = try Scratch()
        let ended = DispatchSemaphore(value: 0)
        try await eventually("a write runs on the thread of its caller") {
            let (store, writer) = try await open(scratch)
            // The first write makes the files of the log.
            try await store.save(item("a", "title"))
            Self.noteShortGroups(writer.loneCaller)
            let thread = Platform.currentThread
            let isOwn = try await store.writeReturning { tx in
                try tx.save(item("a", "title"))
                guard Platform.currentThread == thread else { return false }
                let status = DetachedThread.start(stackByteCount: 1 << 20) {
                    writer.close()
                    ended.signal()
                }
                #expect(status == 0)
                while !writer.isClosed { Blocking.pause(microseconds: 100) }
                return true
            }.result
            if isOwn {
                try await Blocking.run { ended.wait() }
                await #expect(throws: DataStoreError.self) { try await store.save(item("b", "title")) }
            }
            try await store.close()
            return isOwn
        }
        let (store, _) = try await open(scratch)
        #expect(try await store.count(Record.all(of: "Item")) == 1)
        try await store.close()
    }

    @Test("tasks that save at the same time, alone and together, lose no write and share syncs")
    func mixed() async throws {
        let scratch = try Scratch()
        let (store, writer) = try await open(scratch)
        for round in 0..<20 {
            Self.noteShortGroups(writer.loneCaller)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for task in 0..<(round % 4 + 1) {
                    group.addTask {
                        for number in 0..<10 { try await store.save(item("\(round)-\(task)-\(number)", "title")) }
                    }
                }
                try await group.waitForAll()
            }
        }
        let count = try await store.count(Record.all(of: "Item"))
        #expect(count == 5 * (1 + 2 + 3 + 4) * 10)
        #expect(writer.syncCount <= count + 10)
        try await store.close()
        let (reopened, _) = try await open(scratch)
        #expect(try await reopened.count(Record.all(of: "Item")) == count)
        #expect(try await reopened.verify().isWhole)
        try await reopened.close()
    }
}
