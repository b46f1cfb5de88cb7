#if os(Linux)
    import FaultHarness
    import Foundation
    import TestWaiting
    import Testing
    import Tidelog
    import TestStores

    @Suite("A reader next to a writer in another process", .timeLimit(.minutes(5)))
    struct OtherProcessTests {
        private static let count = 200
        /// The last event. The log has an event for the schema, the first note, each further note, and ten deletions.
        private static let head = SequenceNumber(UInt64(2 + count + 10))

        @Test(
            "events, changes, live pages and waitUntil follow the writes of another process",
            arguments: ["lmdb", "sqlite"])
        func follows(adapter: String) async throws {
            try await withStoreDirectory { directory in
                let writer = try ChildProcess(
                    BuildProducts.url(of: "StoreWriter"), [directory.path, adapter, "\(Self.count)"])
                #expect(try writer.readLine() == "ready")
                let store = try await DataStore.open(
                    at: directory, adapter: adapter == "sqlite" ? .sqlite() : .lmdb(),
                    configuration: DataStoreConfiguration(isReadOnly: true))
                #expect(try await store.metrics().consumers.map(\.name) == ["outbox"])
                let changes = store.changes(of: Record.all(of: "Note"))
                let page = Page(offset: 1, limit: 3)
                let rising = Sort([.init("rating")])
                async let events = read(Int(Self.head.value), of: store.events(after: .zero))
                async let observed = read(Self.count + 10, of: changes)
                let last = Shared<LiveResult<Record>?>(nil)
                let live = Task {
                    for try await result in store.observe(Record.all(of: "Note").sorted(by: rising).page(page)) {
                        if let earlier = last.value { #expect(earlier.sequence < result.sequence) }
                        #expect(!result.isSynced)
                        last.update { $0 = result }
                    }
                }
                try Data().write(to: directory.appendingPathComponent("go"))
                try await store.waitUntil(Self.head)
                #expect(try await store.fetch(Record.all(of: "Note")).count == Self.count - 10 + 1)
                #expect(try await events.map(\.sequence.value) == Array(1...Self.head.value))
                #expect(try await observed.map(\.sequence.value) == Array(3...Self.head.value))
                // The deleted notes had the lowest ratings, so the page was completed from the rows.
                try await eventually("the last result is delivered") {
                    last.value?.items.map { $0["rating"] } == [10, 11, 12]
                }
                live.cancel()
                try await live.value
                let position = try store.head
                #expect(await code { _ = try await store.consumer(named: "x", startingAfter: position) } == .readOnly)
                try await store.close()
            }
        }

        @Test(
            "a reader that follows the log ends with storeCleared after the generation's files are removed",
            arguments: ["lmdb"])
        func cleared(adapter: String) async throws {
            try await withStoreDirectory { directory in
                let writer = try ChildProcess(BuildProducts.url(of: "StoreWriter"), [directory.path, adapter, "0"])
                #expect(try writer.readLine() == "ready")
                let store = try await DataStore.open(
                    at: directory, adapter: .lmdb(), configuration: DataStoreConfiguration(isReadOnly: true))
                let follower = Task { try await read(3, of: store.events(after: .zero)) }
                try FileManager.default.removeItem(at: directory.appendingPathComponent("generation-1"))
                #expect(await code { _ = try await follower.value } == .storeCleared)
            }
        }
    }
#endif
