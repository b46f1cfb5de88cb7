#if os(Linux)
    import FaultHarness
    import Foundation
    import TestStores
    import TestWaiting
    import Testing
    import TidelogLMDB

    @testable import Tidelog
    @testable import TidelogCore

    @Suite("Maps and the limits of the address space")
    struct MapTests {
        /// The number of records that the child saves.
        private static let recordCount = 1_200
        private static let adapter = Adapter(factory: .lmdb())

        /// Runs `steps` in a child process with `limit` MiB of addresses.
        private func run(_ steps: [String], in scratch: Scratch, limit: Int) throws {
            let child = try start(steps, in: scratch, limit: limit)
            #expect(try child.wait() == .exited(0), "\(child.errorText)")
        }

        private func start(_ steps: [String], in scratch: Scratch, limit: Int? = nil) throws -> ChildProcess {
            let control = scratch.path("control")
            try FileManager.default.createDirectory(at: control, withIntermediateDirectories: true)
            for number in steps.indices { try Data().write(to: control.appending(path: "\(number)")) }
            return try ChildProcess(
                URL(fileURLWithPath: "/bin/sh"),
                [
                    "-c", "ulimit -v \(limit.map { "\($0 << 10)" } ?? "unlimited"); exec \"$0\" \"$@\"",
                    BuildProducts.url(of: "LifecycleVictim").path,
                    scratch.path().path, "lmdb", control.path,
                ] + steps)
        }

        @Test(
            "a store opens, grows its maps many times, and opens again under limits of 30, 4 and 1 GiB",
            arguments: [(30 << 10, "grow"), (4 << 10, "grow"), (1 << 10, "grow"), (1 << 10, "fill")])
        func limits(limit: Int, step: String) async throws {
            let scratch = try Scratch()
            try run([step, "close"], in: scratch, limit: limit)
            // A rebuild maps the old rows and the new ones at once.
            try run(limit > 1 << 10 ? ["save", "rebuild", "close"] : ["save", "close"], in: scratch, limit: limit)
            let store = try await scratch.open(Self.adapter)
            #expect(try await store.count(Record.all(of: "Item")) == Self.recordCount + 100)
            #expect(try await store.verify().isWhole)
            try await store.close()
        }

        @Test("a process that reads follows another one whose maps grow")
        func follows() async throws {
            let scratch = try Scratch()
            try await scratch.open(Self.adapter).close()
            let reader = try await scratch.open(
                Adapter(factory: .lmdb(mapSize: 1 << 20)), schema: nil,
                configuration: DataStoreConfiguration(isReadOnly: true, logMapSize: 1 << 20))
            let before = try reader.current().log.files.information.mapSize
            let child = try start(["grow", "close"], in: scratch)
            var count = 0
            try await eventually {
                count = try await reader.count(Record.all(of: "Item"))
                return count == Self.recordCount
            }
            #expect(count == Self.recordCount)
            #expect(try child.wait() == .exited(0), "\(child.errorText)")
            _ = try reader.allEvents()
            #expect(try reader.current().log.files.information.mapSize >= 8 * before)
            #expect(try await reader.verify().isWhole)
            try await reader.close()
        }

        @Test("a store that gets no addresses says so, and what to do")
        func refused() async throws {
            let scratch = try Scratch()
            try run(["fill", "close"], in: scratch, limit: 30 << 10)
            await #expect(processExitsWith: .success) { [path = scratch.path() as URL] in
                try limitMemory(toAdditional: 70 << 20)
                let error = await #expect(throws: DataStoreError.self) {
                    _ = try await DataStore.open(at: path, schema: itemSchema, adapter: .lmdb())
                }
                #expect(error?.code == .addressSpace)
                #expect(error?.message.contains("no addresses") == true)
                #expect(error?.recovery.contains("ulimit -v") == true)
            }
        }
    }
#endif
