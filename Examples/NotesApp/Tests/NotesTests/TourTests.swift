import Notes
import Testing
import Tidelog

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

@Suite("Notes")
struct TourTests {
    @Test("the tour finds in the store what it put there")
    func tour() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "notes-\(UInt64.random(in: 1 ... .max))")
        defer { try? FileManager.default.removeItem(at: directory) }
        var lines: [String] = []
        try await Tour(directory: directory) { lines.append($0) }.run()
        #expect(
            lines == [
            ])
    }
}
