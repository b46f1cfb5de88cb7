#if os(Linux)
    import FaultHarness
    import Foundation
    import TestStores
    import TestWaiting
    import Testing
    import Tidelog

    @testable import TidelogCore

    @Suite("Suspension during other calls", .timeLimit(.minutes(5)))
    struct SuspensionDuringCallsTests {
        @Test("a poisoned store is suspended with its error, holds no lock, and accepts writes after it was resumed")
        func poisoned() async throws {
            let scratch = try Scratch()
            let store = try await scratch.open(Adapter(factory: .lmdb()))
            try await store.save(item("a", "1"))
            try await store.writer(of: store.current()).exclusively { $0.poison(POSIXError(.EIO)) }
            let error = await #expect(throws: DataStoreError.self) { try await store.suspend() }
            #expect(error?.code == .poisoned)
            #expect(try fileLocks(in: scratch.path()) == [])
            try await store.resume()
            try await store.save(item("b", "1"))
            #expect(try await store.count(Record.all(of: "Item")) == 2)
            try await store.close()
        }

        @Test("a suspension ends a backup and a rebuild, and a later one succeeds", arguments: Adapter.persistent)
        func longCalls(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let store = try await scratch.open(adapter)
            for round in 0..<10 {
                try await store.write { tx in
                    for number in 0..<2_000 { try tx.save(item("\(number)", "\(round)")) }
                }
            }
            let copy = scratch.path("copy")
            let backup = Task { _ = try await store.backup(to: copy) }
            let rebuild = Task { try await store.rebuild() }
            try await Task.sleep(for: .milliseconds(15))
            try await store.suspend()
            #expect(try fileLocks(in: scratch.path()) == [])
            for call in [backup, rebuild] {
                do { try await call.value } catch let error as DataStoreError { #expect(error.code == .suspended) }
            }
            #expect(try fileLocks(in: scratch.directory.url) == [])
            try await store.resume()
            try await store.rebuild()
            try await store.backup(to: scratch.path("second"))
            #expect(try await store.count(Record.all(of: "Item")) == 2_000)
            #expect(try await store.verify().isWhole)
            try await store.close()
        }

        @Test("a store that is cleared while it is suspended is either the old one or the empty one")
        func clearing() async throws {
            for delay in stride(from: 0, to: 4_000, by: 400) {
                let scratch = try Scratch()
                let store = try await scratch.open(Adapter(factory: .lmdb()))
                try await store.save(item("a", "1"))
                let clearing = Task { try await store.clear() }
                usleep(UInt32(delay))
                try await store.suspend()
                let result = await clearing.result
                try await store.resume()
                let count = try await store.count(Record.all(of: "Item"))
                switch result {
                case .success: #expect(count == 0)
                case .failure(let error):
                    #expect((error as? DataStoreError)?.code == .suspended)
                    #expect(count == 1)
                }
                try await store.close()
            }
        }
    }
#endif
