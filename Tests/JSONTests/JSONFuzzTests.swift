import SeededNumbers
import Testing
import TidelogJSON

@Suite("Damaged texts")
struct JSONFuzzTests {
    private static let sample = Array(
        """
        {"id":"362","name":"Shahrak-e Qods","alternateNames":["shhrk \\u0642\\u062f\\u0633","لواسان","\\ud83d\\ude00😀"],
         "latitude":35.75936,"longitude":-5.1e-1,"population":29774,"nested":{"a":[[],{},[null,true,false]],"":0},"x":"\\"\\\\\\/"}
        """.utf8)

    /// Whether a text is valid JSON. Skipping the text, reading its tokens and parsing it must give the same result.
    private func isAccepted(_ bytes: [UInt8]) -> Bool {
        let skipped = code(ofSkipping: bytes)
        #expect(code(ofTokens: bytes) == skipped, "\(bytes)")
        // Parsing also refuses numbers that are out of range, which skipping accepts.
        let parsed = code(ofParsing: bytes)
        #expect(parsed == skipped || parsed == .integerOutOfRange || parsed == .doubleOutOfRange, "\(bytes)")
        return skipped == nil
    }

    @Test("The sample is valid and every proper prefix of it is refused")
    func prefixes() {
        #expect(isAccepted(Self.sample))
        for length in 0..<Self.sample.count { #expect(!isAccepted(Array(Self.sample[..<length]))) }
    }

    @Test("Every proper suffix of the sample is refused")
    func suffixes() {
        for start in 1..<Self.sample.count {
            let suffix = Array(Self.sample[start...])
            #expect(!isAccepted(suffix))
        }
    }

    @Test("Damaged texts never cause a crash, and an accepted text is equal after writing and parsing")
    func mutations() throws {
        var generator = SeededGenerator(9)
        let symbols =
            Array("{}[]:,\"\\u0123456789.eE+-truefalsn \n".utf8) + [0, 0x1F, 0x7F, 0x80, 0xC3, 0xED, 0xF4, 0xFF]
        var accepted = 0
        for round in 0..<20_000 {
            var bytes =
                round % 2 == 0 ? Self.sample : JSONValueTests.value(&generator, depth: 3).bytes(style: .pretty)
            for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
                let place = Int.random(in: 0..<bytes.count, using: &generator)
                let symbol = symbols[Int.random(in: 0..<symbols.count, using: &generator)]
                switch Int.random(in: 0..<4, using: &generator) {
                case 0: bytes[place] = symbol
                case 1: bytes.insert(symbol, at: place)
                case 2: bytes.remove(at: place)
                default: bytes.swapAt(place, Int.random(in: 0..<bytes.count, using: &generator))
                }
            }
            guard isAccepted(bytes), let value = try? JSONValue(parsing: bytes) else { continue }
            accepted += 1
            let compact = value.bytes()
            #expect(try JSONValue(parsing: compact) == value)
        }
        #expect(accepted > 1_000)
    }

    @Test("Random bytes never cause a crash")
    func noise() {
        var generator = SeededGenerator(10)
        for _ in 0..<20_000 {
            let length = Int.random(in: 0..<24, using: &generator)
            _ = isAccepted((0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
        }
    }
}
