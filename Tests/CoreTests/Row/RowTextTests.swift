import SeededNumbers
import Testing

@testable import TidelogCore

@Suite struct RowTextTests {
    @Test func `a byte that is not UTF-8 is damage at every place of a text, whatever the text's length`() throws {
        for count in 1...70 {
            for position in 0..<count {
                var bytes = Self.letters(count)
                for byte: UInt8 in [0x80, 0xC3, 0xFF] {
                    bytes[position] = byte
                    #expect(throws: RowDamage("a text is not UTF-8")) { try Self.text(bytes) }
                }
            }
        }
    }

    @Test func `a text of any length is read unchanged, with or without a letter outside ASCII at any place`() throws {
        for count in 0...70 {
            let plain = Self.letters(count)
            #expect(try Array(Self.text(plain).utf8) == plain)
            #expect(try Self.text(plain) == String(decoding: plain, as: UTF8.self))
            for position in 0...count {
                let bytes = plain[..<position] + "é".utf8 + plain[position...]
                #expect(try Array(Self.text(Array(bytes)).utf8) == Array(bytes))
            }
        }
    }

    @Test func `random bytes are read as a text exactly if the standard library accepts them as UTF-8`() throws {
        var generator = SeededGenerator(34)
        for _ in 0..<20_000 {
            var bytes = generator.once(in: 2) ? generator.bytes(generator.below(6)) : Self.letters(generator.below(40))
            for _ in 0..<generator.below(3) {
                bytes +=
                    generator.once(in: 3) ? generator.bytes(2) : Array(generator.pick(["é", "𝄞", "\u{0}", "z"]).utf8)
            }
            let expected = String(validating: bytes, as: UTF8.self)
            let text = try? Self.text(bytes)
            #expect(text.map { Array($0.utf8) } == expected.map { Array($0.utf8) })
        }
    }

    private static func letters(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(97 + $0 % 26) } }

    private static func text(_ bytes: [UInt8]) throws -> String { try bytes.withUnsafeBytes { try $0.rowText() } }
}
