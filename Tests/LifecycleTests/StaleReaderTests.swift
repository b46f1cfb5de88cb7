#if os(Linux)
    import FaultHarness
    import Foundation
    import TestStores
    import Testing
    import Tidelog

    @testable import TidelogCore

    @Suite("Readers of the log that were killed")
    struct StaleReaderTests {
        private func fileByteCount(_ store: DataStore) throws -> Int {
            let path = try store.current().log.files.directory + "/data.mdb"
            return try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int ?? 0
        }

        @Test("the writer clears the view of a killed reader, so that the log's file does not keep growing")
        func killed() async throws {
            let scratch = try Scratch()
            let store = try await scratch.open(configuration: DataStoreConfiguration(durability: .relaxed))
            try await store.write { tx in for id in 0..<2_000 { try tx.save(item("r\(id)", "t")) } }
            let child = try ChildProcess(
                BuildProducts.url(of: "LifecycleVictim"), ["hold", try store.current().log.files.directory])
            #expect(try child.readLine() == "holds")
            try await store.save(item("a", "t"))
            child.signal(SIGKILL)
            #expect(try child.wait() == .signalled(SIGKILL))
            let before = try fileByteCount(store)
            for number in 0..<3_000 { try await store.save(item("a", "\(number)")) }
            let growth = try fileByteCount(store) - before
            #expect(growth < 8 << 20, "\(growth) bytes of growth")
            try await store.close()
        }
    }
#endif
