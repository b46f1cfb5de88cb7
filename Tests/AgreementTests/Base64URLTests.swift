import SeededNumbers
import Testing
import TidelogAgreement

@Suite("Base64 for URLs")
struct Base64URLTests {
    @Test("Each sequence of bytes has exactly one text, and no other text is decoded")
    func base64() {
        var random = SeededGenerator(7)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            #expect(Base64URL.decode(Base64URL.encode(bytes).utf8) == bytes)
        }
        #expect(Base64URL.encode([0xFB, 0xFF]) == "-_8")
        for text in ["A", "AA=", "AA==", "A+", "A/AA", "AB", "AAB", "A A", "AA\n", "ÄÄ", "-_9"] {
            #expect(Base64URL.decode(text.utf8) == nil, "\(text)")
        }
    }
}
