#if os(Linux)
    import Foundation
    import TestStores
    import TestWaiting
    import Testing
    import Tidelog

    @testable import TidelogCore

    @Suite("The files of a cleared generation")
    struct ClearedFileTests {
        /// The files below `directory` that this process has open or mapped. Files that no longer have a name are included.
        private func openFiles(_ directory: URL) throws -> [String] {
            let path = directory.resolvingSymlinksInPath().path + "/"
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
                try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
            }
            let maps = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
            let mapped = maps.split(separator: "\n").compactMap { line in
                line.firstIndex(of: "/").map { String(line[$0...]) }
            }
            return Set(descriptors + mapped).filter { $0.hasPrefix(path) }.sorted()
        }

        @Test(
            "a clear closes the files of the old generation, even if a consumer still follows the generation",
            arguments: Adapter.persistent)
        func closed(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let store = try await scratch.open(adapter)
            try await store.save(item("a", "t"))
            var events = store.events(after: .zero).makeAsyncIterator()
            #expect(try await events.next()?.sequence == SequenceNumber(1))
            let consumer = try await store.consumer(named: "search")
            let generation = scratch.path("store/generation-1")
            #expect(try openFiles(generation).count > 3)
            try await store.clear()
            // A projection on another thread may still be ending.
            try await eventually("the old files are closed") { try openFiles(generation) == [] }
            let error = await #expect(throws: DataStoreError.self) { while try await events.next() != nil {} }
            #expect(error?.code == .storeCleared)
            #expect(throws: DataStoreError.self) { try consumer.position }
            try await store.close()
        }

        @Test("the files of a cleared generation are closed when its last snapshot ends", arguments: Adapter.persistent)
        func reader(adapter: Adapter) async throws {
            let scratch = try Scratch()
            let store = try await scratch.open(adapter)
            for id in 0..<50 { try await store.save(item("r\(id)", "t")) }
            let generation = scratch.path("store/generation-1")
            do {
                let snapshot = try store.state.openSnapshot()
                try await store.clear()
                #expect(try openFiles(generation) != [])
                #expect(try snapshot.count(Record.all(of: "Item")) == 50)
                snapshot.end()
            }
            // A projection on another thread may still be ending.
            try await eventually("the old files are closed") { try openFiles(generation) == [] }
            try await store.close()
        }
    }
#endif
