import Blog
import Testing

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
        #expect(lines == ["Tides by Ann", "- Wet!", "- Salty!", "before T: [\"Ebb\"]", "on Tides: 2"])
    }
}
