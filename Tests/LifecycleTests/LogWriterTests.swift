import Foundation
import TestStores
import Testing

@testable import Tidelog
@testable import TidelogCore

@Suite("The writer of a log")
struct LogWriterTests {
    private let scratch: Scratch

    init() throws { scratch = try Scratch() }

    @Test("the number of a failed write is absorbed later, even if an absorption was under way when the write failed")
    func failedWriteDuringAbsorption() async throws {
        let metadata = LogMetadata(store: .random(), incarnation: 1, adapter: "lmdb", durability: .full)
        let directory = scratch.path("log").path
        try FileSystem.createDirectory(directory)
        let files = try WritableLogFiles.open(directory, mapSize: nil, isTemporary: false, create: metadata)
        defer { files.files.close() }
        let state = try LogState(of: files.files, isForChecking: false)
        let environment = EnvironmentWriter(files, state.recent, isTemporary: false)
        state.recent.skip(upTo: 1)
        // This transaction absorbs number 1. During the transaction, the write of a group with number 2 fails.
        try environment.commit { _ in state.recent.skip(upTo: 2) }
        #expect(state.recent.end.group == 2)
        #expect(!state.recent.isAbsorbed(2))
        try environment.absorb()
        #expect(state.recent.isAbsorbed(2))
        let absorbed = try files.files.withReader { try LogMetadata.absorbedGroup($0, files.files.keyspaces.meta) }
        #expect(absorbed == 2)
    }

    @Test("the log of a cleared store absorbs nothing more, even while a reader keeps the old rows")
    func clearedStore() async throws {
        var isDecided = false
        for attempt in 0..<20 where !isDecided {
            let name = "cleared-\(attempt)"
            let store = try await scratch.open(.init(factory: .lmdb()), name, configuration: .init(durability: .full))
            let old = try store.current()
            let snapshot = try old.rows.snapshot()
            let start = ContinuousClock.now
            try await store.save(item("a", "title"))
            try await store.clear()
            // The absorber begins after half a second without writes. On a slow machine that can be before the clear,
            // and then the attempt proves nothing.
            if ContinuousClock.now - start < .milliseconds(400) {
                isDecided = true
                try await Task.sleep(for: .seconds(1))
                let view = try old.log.begin()
                #expect(view.recent.hasEvents)
                view.end()
            }
            snapshot.end()
            try await store.close()
        }
        #expect(isDecided)
    }

    @Test("an opened log knows its last event, whether the groups are in the tail or in the environment")
    func end() async throws {
        let store = try await scratch.open(.init(factory: .lmdb()), configuration: .init(durability: .relaxed))
        let log = try store.current().log
        for number in 0..<10 { try await store.save(item("r\(number)", "title")) }
        try await store.save(item("large", String(repeating: "x", count: 9 << 20)))
        try await store.save(item("small", "title"))
        let head = log.head
        #expect(try log.withReader { try $0.head() } == head)
        try FileManager.default.copyItem(at: scratch.path(), to: scratch.path("left"))
        try await store.close()
        let left = try await scratch.open(.init(factory: .lmdb()), "left")
        #expect(try left.head == head)
        try await left.save(item("next", "title"))
        #expect(try left.head.sequence.value == head.sequence.value + 1)
        #expect(try await left.verify().isWhole)
        try await left.close()
    }
}
