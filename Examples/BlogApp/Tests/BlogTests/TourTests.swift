import Blog
import Testing
import Tidelog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Blog")
struct TourTests {
    @Test("models that the plugin made are saved, found and followed")
    func tour() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "blog-\(UInt64.random(in: 1 ... .max))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let lines = try await Tour.run(at: directory)
        #expect(
            lines == ["Tides by Ann", "- Wet!", "- Salty!", "before T: [\"Ebb\"]", "on Tides: 2", "shown: Tides"])
    }

    @Test("the verbs of Amplify DataStore do here what they say")
    func verbs() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "blog-\(UInt64.random(in: 1 ... .max))")
        defer { try? FileManager.default.removeItem(at: directory) }
        let store = try await DataStore.open(at: directory, schema: .app, adapter: .lmdb())
        let lines = try await Verbs.run(on: store)
        try await store.close()
        #expect(
            lines == [
                "found: Tides", "on the first page: 1", "1 comment on the post of Ann",
                "1 at event 5, synced: false", "deleted by events 7 to 8; posts left: 0",
            ])
    }
}
