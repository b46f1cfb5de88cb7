import SeededNumbers
import Testing

@testable import TidelogCore

@Suite("Byte search")
struct ByteSearchTests {
    private static func contains(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        text.withUnsafeBytes { text in part.withUnsafeBytes { ByteSearch.contains(text, $0) } }
    }

    private static func containsPlainly(_ text: [UInt8], _ part: [UInt8]) -> Bool {
        guard part.count <= text.count else { return false }
        return (0...text.count - part.count).contains { text[$0...].starts(with: part) }
    }

    @Test("a search finds bytes exactly if a plain search does, also in texts with few different bytes")
    func likePlainSearch() {
        var numbers = SeededGenerator(21)
        for _ in 0..<20_000 {
            let letters = UInt8.random(in: 1...3, using: &numbers)
            let text = (0..<Int.random(in: 0...60, using: &numbers)).map { _ in
                UInt8.random(in: 0..<letters, using: &numbers)
            }
            var part = (0..<Int.random(in: 0...12, using: &numbers)).map { _ in
                UInt8.random(in: 0..<letters, using: &numbers)
            }
            if Bool.random(using: &numbers), text.count > 4 {
                part = Array(text[Int.random(in: 0...3, using: &numbers)...])
            }
            #expect(Self.contains(text, part) == Self.containsPlainly(text, part), "\(part) in \(text)")
        }
    }

    @Test("a search for a long part of a long repetitive text takes linear time")
    func repetitive() {
        let text = [UInt8](repeating: 1, count: 400_000)
        var part = [UInt8](repeating: 1, count: 200_000)
        #expect(Self.contains(text, part))
        part[100_000] = 2
        // A search that compares one byte after another would need 20 billion comparisons.
        #expect(!Self.contains(text, part))
        #expect(Self.contains(text + part + text, part))
    }
}
