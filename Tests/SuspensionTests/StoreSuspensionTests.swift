#if os(Linux)
    import FaultHarness
    import Foundation
    import TestStores
    import TestWaiting
    import Testing
    import Tidelog

    @testable import TidelogCore

    @Suite("Suspension of a store", .timeLimit(.minutes(5)))
    struct StoreSuspensionTests {
        private static func expectSuspended(_ body: () async throws -> Void) async {
            let error = await #expect(throws: DataStoreError.self) { try await body() }
            #expect(error?.code == .suspended)
        }

        /// Follows a live query in a task, after its first result.
        private static func follow(_ live: LiveQuery<Record>) async throws -> Task<Void, any Error> {
            let hasBegun = Shared(false)
            let task = Task { for try await _ in live { hasBegun.set(true) } }
            try await eventually { hasBegun.value }
            return task
        }

        @Test("a suspended store holds no lock, and every call throws `suspended`", arguments: Adapter.all)
        func locks(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let store = try await scratch.open(adapter)
            try await store.save(item("a", "1"))
            let consumer = try await store.consumer(named: "audit")
            _ = try await store.count(Record.all(of: "Item"))
            #expect(try !fileLocks(in: scratch.path()).isEmpty)

            try await store.suspend()
            #expect(try fileLocks(in: scratch.path()) == [])
            await Self.expectSuspended { try await store.save(item("b", "1")) }
            await Self.expectSuspended { _ = try await store.record("Item", id: "a") }
            await Self.expectSuspended { _ = try await store.count(Record.all(of: "Item")) }
            await Self.expectSuspended { _ = try store.head }
            await Self.expectSuspended { try await store.clear() }
            await Self.expectSuspended { try await store.rebuild() }
            await Self.expectSuspended { try await store.waitUntil(SequenceNumber(1)) }
            await Self.expectSuspended { try await consumer.advance(to: .start) }
            await Self.expectSuspended { _ = try consumer.position }
            await Self.expectSuspended { for try await _ in store.observe(Record.all(of: "Item")) {} }

            try await store.resume()
            #expect(try !fileLocks(in: scratch.path()).isEmpty)
            #expect(try await store.title("a") == "1")
            #expect(try await store.title("b") == nil)
            #expect(try store.head.sequence == SequenceNumber(2))
            try await store.save(item("b", "2"))
            #expect(try await store.count(Record.all(of: "Item")) == 2)
            try await consumer.advance(to: store.head)
            #expect(try consumer.position == store.head)
            #expect(try await store.verify().isWhole)
            try await store.close()
        }

        @Test("a store in memory keeps its records during a suspension, and leaves no files after its end")
        func inMemory() async throws {
            let store = try await DataStore.inMemory(schema: itemSchema)
            let path = store.directory.path
            for number in 0..<300 { try await store.save(item("\(number)", "x")) }
            for _ in 0..<2 {
                try await store.suspend()
                #expect(try fileLocks(in: URL(fileURLWithPath: path)) == [])
                try await store.resume()
            }
            #expect(try await store.count(Record.all(of: "Item")) == 300)
            try await store.suspend()
            try await store.close()
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test("the rows of a suspended store are clean, so that the next opening reads no event again")
        func clean() async throws {
            for adapter in Adapter.persistent {
                let scratch = try Scratch()
                let store = try await scratch.open(adapter)
                try await store.save(item("a", "1"))
                try await store.suspend()
                let marker = try String(
                    contentsOf: scratch.path().appending(path: "generation-1/rows-1/marker"), encoding: .utf8)
                #expect(marker.hasSuffix("clean\n"))
                try await store.close()
            }
        }

        @Test(
            "saves that were acknowledged before a suspension are kept, and the others change nothing",
            arguments: Adapter.all, [Durability.full, .relaxed])
        func concurrentSaves(adapter: Adapter, durability: Durability) async throws {
            let scratch = try Scratch()
            let store = try await scratch.open(
                adapter, configuration: DataStoreConfiguration(durability: durability))
            var expected: Set<String> = []
            for round in 0..<4 {
                let saved = try await withThrowingTaskGroup(of: [String].self) { group in
                    for task in 0..<8 {
                        group.addTask {
                            var saved: [String] = []
                            while true {
                                let id = "\(round)-\(task)-\(saved.count)"
                                do { try await store.save(item(id, "x")) } catch let error as DataStoreError {
                                    #expect(error.code == .suspended)
                                    return saved
                                }
                                saved.append(id)
                            }
                        }
                    }
                    group.addTask {
                        try await Task.sleep(for: .milliseconds(20))
                        try await store.suspend()
                        return []
                    }
                    return try await group.reduce(into: []) { $0 += $1 }
                }
                expected.formUnion(saved)
                #expect(try fileLocks(in: scratch.path()) == [])
                try await store.resume()
                let found = try await store.fetch(Record.all(of: "Item")).compactMap { record -> String? in
                    if case .string(let id)? = record["id"] { id } else { nil }
                }
                #expect(Set(found) == expected)
            }
            #expect(!expected.isEmpty)
            #expect(try await store.verify().isWhole)
            try await store.close()
        }

        @Test("a store is suspended and resumed any number of times, also at the same time")
        func repeated() async throws {
            let scratch = try Scratch()
            let store = try await scratch.open(Adapter(factory: .lmdb()))
            try await store.resume()
            try await store.save(item("a", "1"))
            for _ in 0..<2 { try await store.suspend() }
            #expect(try fileLocks(in: scratch.path()) == [])
            for _ in 0..<2 { try await store.resume() }
            #expect(try await store.title("a") == "1")
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    group.addTask { try await number % 2 == 0 ? store.suspend() : store.resume() }
                }
                try await group.waitForAll()
            }
            try await store.resume()
            #expect(try await store.title("a") == "1")
            try await store.close()
        }

        @Test("a suspended store can be closed: followers end with `closed`, and it is not resumed again")
        func closed() async throws {
            let scratch = try Scratch()
            let store = try await scratch.open(Adapter(factory: .lmdb()))
            let waiting = try await Self.follow(store.observe(Record.all(of: "Item")))
            try await store.suspend()
            try await store.close()
            let error = await #expect(throws: DataStoreError.self) { _ = try await waiting.value }
            #expect(error?.code == .closed)
            let second = await #expect(throws: DataStoreError.self) { try await store.resume() }
            #expect(second?.code == .closed)
            try await store.suspend()
            #expect(try fileLocks(in: scratch.path()) == [])
            let next = try await scratch.open(Adapter(factory: .lmdb()))
            try await next.close()
        }

        @Test("a suspended store that is released ends its followers, and a cancelled follower ends at once")
        func released() async throws {
            let scratch = try Scratch()
            var store: DataStore? = try await scratch.open(Adapter(factory: .lmdb()))
            let live = try #require(store).observe(Record.all(of: "Item"))
            let (cancelled, waiting) = (try await Self.follow(live), try await Self.follow(live))
            try await store?.suspend()
            cancelled.cancel()
            try await cancelled.value
            store = nil
            let error = await #expect(throws: DataStoreError.self) { _ = try await waiting.value }
            #expect(error?.code == .closed)
        }
    }
#endif
