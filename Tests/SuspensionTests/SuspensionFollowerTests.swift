#if os(Linux)
    import FaultHarness
    import Foundation
    import TestStores
    import TestWaiting
    import Testing
    import Tidelog

    /// Followers of a store that is suspended while another process writes it.
    @Suite("Followers of a suspended store", .timeLimit(.minutes(5)))
    struct SuspensionFollowerTests {
        private static let count = 40

        /// Saves `count` notes in another process, deletes 10 of them, and kills the process.
        private static func writeElsewhere(_ scratch: Scratch, _ adapter: Adapter) async throws {
            let writer = try ChildProcess(
                BuildProducts.url(of: "StoreWriter"), [scratch.path().path, adapter.factory.name, "\(count)"])
            #expect(try writer.readLine() == "ready", "\(writer.errorText)")
            try Data().write(to: scratch.path().appendingPathComponent("go"))
            #expect(try writer.readLine(within: .seconds(60)) == "done", "\(writer.errorText)")
            writer.signal(SIGKILL)
            _ = try writer.wait()
        }

        /// The elements that the followers of a store have received.
        private struct Seen {
            let live = Shared([[String]]())
            let page = Shared([[String]]())
            let events = Shared([UInt64]())
            let changes = Shared([String]())
            let consumed = Shared([UInt64]())

            func follow(_ store: DataStore, _ consumer: Consumer) -> [Task<Void, any Error>] {
                let best = Note.all.sorted(by: .descending(Note.keys.rating)).limit(3)
                return [
                    Task {
                        for try await result in store.observe(Note.where(Note.keys.rating >= 5)) {
                            live.update { $0.append(result.items.map(\.id)) }
                        }
                    },
                    Task {
                        for try await result in store.observe(best) {
                            page.update { $0.append(result.items.map(\.id)) }
                        }
                    },
                    Task {
                        for try await event in store.events(after: .zero) {
                            events.update { $0.append(event.sequence.value) }
                        }
                    },
                    Task {
                        for try await change in store.changes(of: Note.all) {
                            changes.update { $0.append("\(change.kind) \(change.recordID)") }
                        }
                    },
                    Task {
                        for try await event in consumer.events() {
                            consumed.update { $0.append(event.sequence.value) }
                            if event.sequence.value % 5 == 0 { try? await consumer.advance(to: event.position) }
                        }
                    },
                ]
            }
        }

        private static func open(_ scratch: Scratch, _ adapter: Adapter) async throws -> DataStore {
            try await DataStore.open(at: scratch.path(), schema: noteSchema, adapter: adapter.factory)
        }

        @Test(
            "live queries, changes, events and consumers continue with what another process wrote",
            arguments: Adapter.persistent)
        func continuing(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let store = try await Self.open(scratch, adapter)
            try await store.save(Note(id: "own", title: "t", rating: 7))
            let consumer = try await store.consumer(named: "audit")
            let seen = Seen()
            let (live, page, events) = (seen.live, seen.page, seen.events)
            let (changes, consumed) = (seen.changes, seen.consumed)
            let tasks = seen.follow(store, consumer)
            try await eventually { try events.value.last == store.head.sequence.value }
            try await eventually { live.value == [["own"]] && page.value == [["own"]] && !consumed.value.isEmpty }
            try await store.save(Note(id: "own", title: "u", rating: 7))
            try await eventually { live.value.count == 2 && page.value.count == 2 && changes.value.count == 1 }

            try await store.suspend()
            try await Self.writeElsewhere(scratch, adapter)
            #expect(live.value.count == 2 && page.value.count == 2 && changes.value.count == 1)
            try await store.resume()

            let expected = ["own"] + (10..<Self.count).map { "n\(1_000 + $0)" }
            try await eventually { Set(live.value.last ?? []) == Set(expected) }
            try await eventually { page.value.last == ["n1039", "n1038", "n1037"] }
            let head = try store.head.sequence.value
            try await eventually { events.value == Array(1...head) }
            try await eventually { consumed.value.last == head }
            #expect(consumed.value == Array(1...head))
            // The first note of the other process, its notes, and its deletions.
            try await eventually { changes.value.count == 1 + 1 + Self.count + 10 }
            #expect(try consumer.position.sequence.value % 5 == 0)

            try await store.save(Note(id: "late", title: "t", rating: 9))
            try await eventually { live.value.last?.contains("late") ?? false }
            try await eventually { consumed.value.last == head + 1 || consumed.value.last == head + 2 }
            // A live query that shows the same result after a suspension is not delivered again.
            let deliveries = page.value.count
            try await store.suspend()
            try await store.resume()
            try await store.save(Note(id: "later", title: "t", rating: 1))
            try await eventually { changes.value.last == "saved later" }
            #expect(page.value.count == deliveries)
            for task in tasks { task.cancel() }
            for task in tasks { try await task.value }
            try await store.close()
        }

        @Test(
            "a store is not resumed as long as another process writes it, and stays suspended",
            arguments: Adapter.persistent)
        func locked(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let store = try await Self.open(scratch, adapter)
            try await store.suspend()
            let writer = try ChildProcess(
                BuildProducts.url(of: "StoreWriter"), [scratch.path().path, adapter.factory.name, "0"])
            #expect(try writer.readLine() == "ready", "\(writer.errorText)")
            let error = await #expect(throws: DataStoreError.self) { try await store.resume() }
            #expect(error?.code == .locked)
            let second = #expect(throws: DataStoreError.self) { _ = try store.head }
            #expect(second?.code == .suspended)
            writer.signal(SIGKILL)
            _ = try writer.wait()
            try await store.resume()
            #expect(try await store.count(Note.all) == 1)
            try await store.close()
        }

        @Test(
            "a store that only reads is suspended too, and follows the writer after it was resumed",
            arguments: Adapter.persistent)
        func reading(adapter: Adapter) async throws {
            let scratch = try Scratch()
            try await Self.open(scratch, adapter).close()
            let reader = try await DataStore.open(
                at: scratch.path(), adapter: adapter.factory, configuration: DataStoreConfiguration(isReadOnly: true))
            let live = Shared(-1)
            let task = Task {
                for try await result in reader.observe(Note.all) { live.set(result.items.count) }
            }
            try await eventually { live.value == 0 }
            try await reader.suspend()
            try await Self.writeElsewhere(scratch, adapter)
            #expect(live.value == 0)
            try await reader.resume()
            try await eventually { live.value == 1 + Self.count - 10 }
            task.cancel()
            try await task.value
            try await reader.close()
        }

        @Test(
            "followers end with `storeCleared` if the store was cleared during the suspension",
            arguments: Adapter.persistent)
        func cleared(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let store = try await Self.open(scratch, adapter)
            try await store.save(Note(id: "own", title: "t"))
            let consumer = try await store.consumer(named: "audit")
            var live = store.observe(Note.all).makeAsyncIterator()
            _ = try await live.next()
            var events = store.events(after: .zero).makeAsyncIterator()
            while try await events.next()?.sequence != store.head.sequence {}
            try await store.suspend()
            let other = try await Self.open(scratch, adapter)
            try await other.clear()
            try await other.close()
            try await store.resume()
            #expect(try await store.count(Note.all) == 0)
            let first = await #expect(throws: DataStoreError.self) { _ = try await live.next() }
            let second = await #expect(throws: DataStoreError.self) { _ = try await events.next() }
            let third = #expect(throws: DataStoreError.self) { _ = try consumer.position }
            #expect([first?.code, second?.code, third?.code] == [.storeCleared, .storeCleared, .storeCleared])
            try await store.close()
        }

        @Test("a live query continues after another process has added a field", arguments: Adapter.persistent)
        func widened(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let store = try await Self.open(scratch, adapter)
            try await store.save(Note(id: "own", title: "t"))
            var typed = store.observe(Note.all).makeAsyncIterator()
            var records = store.observe(Record.all(of: "Note")).makeAsyncIterator()
            _ = try await (typed.next(), records.next())
            try await store.suspend()
            var wider = Note.schema
            wider.fields.append(FieldSchema("extra", .string))
            let other = try await DataStore.open(
                at: scratch.path(), schema: Schema(models: [wider]), adapter: adapter.factory)
            try await other.save(Record(model: "Note", values: ["id": "new", "title": "t", "extra": "e"]))
            try await other.close()
            try await store.resume()
            #expect(try await typed.next()?.items.map(\.id) == ["new", "own"])
            #expect(try await records.next()?.items.first?["extra"] == "e")
            try await store.save(Note(id: "third", title: "t"))
            #expect(try await typed.next()?.items.map(\.id) == ["new", "own", "third"])
            try await store.close()
        }
    }
#endif
