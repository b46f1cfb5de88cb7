#if os(Linux)
    import FaultHarness
    import Foundation
    import TidelogSynchronization
    import TestWaiting
    import Testing
    import Tidelog

    @testable import TidelogCore
    import SeededNumbers
    import TestStores

    @Suite("Several processes")
    struct ProcessTests {
        /// A process that writes a store, one step at a time.
        private struct Writer {
            let child: ChildProcess
            let control: URL

            init(_ scratch: Scratch, _ adapter: Adapter, _ steps: [String]) throws {
                control = scratch.path("control")
                try FileManager.default.createDirectory(at: control, withIntermediateDirectories: true)
                child = try ChildProcess(
                    BuildProducts.url(of: "LifecycleVictim"),
                    [scratch.path().path, adapter.factory.name, control.path] + steps)
            }

            func await(_ line: String) throws {
                let found = try child.readLine()
                #expect(found == line, "\(child.errorText)")
            }

            func step(_ number: Int, _ name: String) throws {
                try Data().write(to: control.appending(path: "\(number)"))
                try self.await("done \(name)")
            }
        }

        @Test(
            "a reader has every commit as soon as it is acknowledged, while the tail switches between its files",
            arguments: Adapter.persistent)
        func readerSeesTheTail(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let writer = try Writer(scratch, adapter, ["turn"])
            try writer.await("open")
            let reader = try await scratch.open(
                adapter, schema: nil, configuration: DataStoreConfiguration(isReadOnly: true))
            try Data().write(to: writer.control.appending(path: "0"))
            let watching = Task.detached { try await self.watch(reader) }
            var last = ""
            while let line = try writer.child.readLine() {
                last = line
                guard line.hasPrefix("saved ") else { break }
                let numbers = line.split(separator: " ").compactMap { UInt64($0) }
                #expect(try reader.head.sequence.value >= numbers[1])
                // The first events of each thousand follow a move of the log to a smaller file. The first thousand is
                // left out, because the rows of the reader may not have the record yet.
                guard numbers[0] >= 1_000, numbers[0] % 1_000 < 20 else { continue }
                #expect(try await reader.history(of: "Item", id: RecordID("x")).events.last != nil)
                guard numbers[0] % 1_000 == 0 else { continue }
                #expect(try await reader.verify().isWhole)
            }
            watching.cancel()
            let looks = try await watching.value
            #expect(looks > 0)
            #expect(last == "done turn", "\(writer.child.errorText)")
            var rank: FieldValue?
            try await eventually {
                rank = try await reader.record("Item", id: RecordID("x"))?["rank"]
                return rank == .int(20_000)
            }
            let end = try reader.head.sequence
            #expect(rank == .int(20_000), "the log ends at \(end)")
            try await reader.close()
        }

        /// Reads the log again and again until the task is cancelled. Checks that positions never go back, and that no
        /// event is missing. Returns the number of reads.
        private func watch(_ reader: DataStore) async throws -> Int {
            var looks = 0
            var (head, audited) = (SequenceNumber.zero, SequenceNumber.zero)
            while !Task.isCancelled {
                try reader.current().log.withReader { log in
                    let end = try log.head()?.sequence ?? .zero
                    #expect(end >= head)
                    var (last, count) = (SequenceNumber.zero, 0)
                    try log.forEach(after: log.metadata().floor.sequence) { event in
                        if count > 0 { #expect(event.sequence.value == last.value + 1) }
                        (last, count) = (event.sequence, count + 1)
                        return true
                    }
                    #expect(count == 0 || last == end)
                    let place = try log.position(of: "audit")?.sequence ?? .zero
                    #expect(place >= audited && place <= end)
                    (head, audited) = (end, place)
                }
                looks += 1
                // There are few threads, and the test needs one to read the lines of the writer.
                await Task.yield()
            }
            return looks
        }

        @Test("a live query follows the writer through rebuild and shrink", arguments: Adapter.persistent)
        func liveQueryFollows(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let steps = ["save", "rebuild", "save", "shrink", "save", "close"]
            let writer = try Writer(scratch, adapter, steps)
            try writer.await("open")
            let reader = try await scratch.open(
                adapter, schema: nil, configuration: DataStoreConfiguration(isReadOnly: true))
            let counted = Mutex(0)
            // The query is the only call on the reader while the writer works.
            let live = Task {
                for try await result in reader.observe(Record.all(of: "Item")) {
                    counted.withLock { $0 = result.items.count }
                }
            }
            for (number, name) in steps.enumerated() {
                try writer.step(number, name)
                guard name == "save" else { continue }
                let expected = 100 * steps.prefix(number + 1).count { $0 == "save" }
                try await eventually { counted.withLock { $0 } == expected }
            }
            live.cancel()
            try await live.value
            try await reader.close()
        }

        @Test(
            "a reader follows the writer through rebuild, shrink, clear and a new schema", arguments: Adapter.persistent
        )
        func readerFollows(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let steps = ["save", "rebuild", "save", "shrink", "save", "widen", "clear", "save", "close"]
            let writer = try Writer(scratch, adapter, steps)
            try writer.await("open")
            let reader = try await scratch.open(
                adapter, schema: nil, configuration: DataStoreConfiguration(isReadOnly: true))
            let names = ["save", "rebuild", "save", "shrink", "save"]
            for (number, name) in names.enumerated() {
                try writer.step(number, name)
                let expected = 100 * names.prefix(number + 1).filter { $0 == "save" }.count
                try await eventually { try await reader.count(Record.all(of: "Item")) == expected }
                try await eventually { try reader.head.sequence == SequenceNumber(UInt64(expected + 1)) }
            }
            try await eventually { try reader.current().log.files.directory.hasSuffix("log-2") }
            #expect(try await reader.verify().isWhole)
            try await reader.backup(to: scratch.path("copy"))
            try writer.step(5, "widen")
            try await eventually {
                try await reader.record("Item", id: RecordID("wide"))?["note"] == .string("new")
            }
            try writer.step(6, "clear")
            try await eventually { try await reader.count(Record.all(of: "Item")) == 0 }
            try writer.step(7, "save")
            try await eventually { try await reader.count(Record.all(of: "Item")) == 100 }
            #expect(try await reader.verify().isWhole)
            try writer.step(8, "close")
            try await reader.close()
        }

        @Test(
            "a store is whole after a kill during a compaction, a rebuild, a shrink or a clear",
            arguments: Adapter.persistent)
        func killed(adapter: Adapter) async throws {
            var random = SeededGenerator(17)
            for round in 0..<12 {
                let scratch = try Scratch()
                let writer = try Writer(scratch, adapter, ["churn"])
                try writer.await("open")
                try Data().write(to: writer.control.appending(path: "0"))
                for _ in 0..<(2 * (round % 4)) { _ = try writer.child.readLine() }
                try writer.await("saved \(round % 4)")
                usleep(UInt32.random(in: 0...15_000, using: &random))
                writer.child.signal(SIGKILL)
                _ = try writer.child.wait()
                let last = writer.child.lines.last ?? ""
                let store = try await scratch.open(adapter)
                let report = try await store.verify()
                #expect(report.isWhole, "\(report.damaged) \(report.differences)")
                let count = try await store.count(Record.all(of: "Item"))
                let saved = writer.child.lines.filter { $0.hasPrefix("saved") }.count
                // In every fourth round, the store was cleared after the save.
                if last.hasPrefix("saved"), saved % 4 != 0 {
                    #expect(try await store.title("c0").flatMap { Int($0) } ?? -1 >= saved - 1)
                }
                #expect(count == 0 || count == 200)
                try await store.rebuild()
                #expect(try await store.verify().stateHash == report.stateHash)
                try await store.close()
            }
        }

        @Test("a store in use by a writer can be verified, and a second writer gets an error with the writer's pid")
        func secondWriter() async throws {
            let scratch = try Scratch()
            let adapter = Adapter(factory: .lmdb())
            let writer = try Writer(scratch, adapter, ["save", "close"])
            try writer.await("open")
            try writer.step(0, "save")
            #expect(try await StoreFiles.verifyLog(at: scratch.path()).eventCount == 101)
            let error = await #expect(throws: DataStoreError.self) { _ = try await scratch.open(adapter) }
            #expect(error?.code == .locked)
            #expect(error?.message.contains("\(writer.child.identifier)") == true)
            writer.child.signal(SIGKILL)
            _ = try writer.child.wait()
            let next = try await scratch.open(adapter)
            #expect(try await next.count(Record.all(of: "Item")) == 100)
            try await next.close()
        }

        @Test(
            "a store that another process clears again and again can be opened for reading",
            arguments: Adapter.persistent)
        func opensBesideClear(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let writer = try Writer(scratch, adapter, ["clears", "close"])
            try writer.await("open")
            try Data().write(to: writer.control.appending(path: "0"))
            // The step `clears` clears the store 60 times.
            let last = scratch.path().appending(path: "generation-61").path
            repeat {
                let reader = try await scratch.open(
                    adapter, schema: nil, configuration: DataStoreConfiguration(isReadOnly: true))
                #expect(try await reader.count(Record.all(of: "Item")) <= 1)
                try await reader.close()
            } while !FileManager.default.fileExists(atPath: last)
            try writer.await("done clears")
            try writer.step(1, "close")
        }

        /// Checks what a reader finds after the step `die`.
        private func expectEverything(_ reader: DataStore) async throws {
            #expect(try await reader.count(Record.all(of: "Item")) == 200)
            #expect(try await reader.title("d99") == "1")
            #expect(try await reader.history(of: "Item", id: "d98").events.count == 1)
            let found = try await reader.fetch(
                Record.all(of: "Item").where(.field("title", .equal("3"))).sorted(
                    by: Sort([Sort.Key("id", isDescending: true)])
                ).limit(2))
            #expect(found.map { $0["id"] } == ["d94", "d87"])
            #expect(try await reader.verify().isWhole)
        }

        private func kill(_ writer: Writer, atStep step: Int) throws {
            try Data().write(to: writer.control.appending(path: "\(step)"))
            #expect(try writer.child.wait() == .signalled(SIGKILL))
        }

        @Test("after a writer is killed, a new reader sees every acknowledged commit", arguments: Adapter.persistent)
        func readAfterKill(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let writer = try Writer(scratch, adapter, ["save", "die"])
            try writer.await("open")
            try writer.step(0, "save")
            try kill(writer, atStep: 1)
            for _ in 0..<2 {
                let reader = try await scratch.open(
                    adapter, schema: nil, configuration: DataStoreConfiguration(isReadOnly: true))
                try await expectEverything(reader)
                try await reader.close()
            }
        }

        @Test(
            "a reader that is open while the writer is killed sees every acknowledged commit",
            arguments: Adapter.persistent)
        func readDuringKill(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let writer = try Writer(scratch, adapter, ["save", "die"])
            try writer.await("open")
            let reader = try await scratch.open(
                adapter, schema: nil, configuration: DataStoreConfiguration(isReadOnly: true))
            try writer.step(0, "save")
            try await eventually { try await reader.count(Record.all(of: "Item")) == 100 }
            let head = SequenceNumber(201)
            let waiter = Task { try await reader.waitUntil(head) }
            try kill(writer, atStep: 1)
            try await waiter.value
            try await expectEverything(reader)
            let next = try Writer(scratch, adapter, [])
            try next.await("open")
            try await expectEverything(reader)
            try await reader.close()
        }

        @Test(
            "the store of a killed writer can be read completely on a read-only volume",
            .enabled(if: TemporaryFilesystem.unavailability() == nil, "mounting takes rights that are not here"),
            arguments: Adapter.persistent)
        func readFromReadOnlyVolume(adapter: Adapter) async throws {
            let volume = try TemporaryFilesystem(size: 64 << 20)
            let scratch = try Scratch()
            let store = volume.url.appending(path: "store")
            let control = scratch.path("control")
            try FileManager.default.createDirectory(at: control, withIntermediateDirectories: true)
            for step in 0...1 { try Data().write(to: control.appending(path: "\(step)")) }
            let child = try ChildProcess(
                BuildProducts.url(of: "LifecycleVictim"),
                [store.path, adapter.factory.name, control.path, "save", "die"])
            #expect(try child.wait() == .signalled(SIGKILL))
            try volume.makeReadOnly()
            let reader = try await DataStore.open(
                at: store, adapter: adapter.factory, configuration: DataStoreConfiguration(isReadOnly: true))
            try await expectEverything(reader)
            try await reader.close()
        }

        @Test("a second writer in the same process gets an error with the pid of the process")
        func secondWriterInProcess() async throws {
            let scratch = try Scratch()
            let store = try await scratch.open()
            let error = await #expect(throws: DataStoreError.self) { _ = try await scratch.open() }
            #expect(error?.code == .locked)
            #expect(error?.message.contains("\(ProcessInfo.processInfo.processIdentifier)") == true)
            try await store.close()
            try await scratch.open().close()
        }
    }
#endif
