import Testing

@testable import TidelogCore

@Suite struct CaseFoldingTests {
    private static let scalars = (0...0x10FFFF as ClosedRange<UInt32>).compactMap { Unicode.Scalar($0) }

    @Test func `the table has every folding of Unicode 15, in order`() {
        let runs = CaseFolding.runs
        #expect(runs.reduce(0) { $0 + ($1.last - $1.first) / $1.step + 1 } == 1_454)
        #expect(zip(runs, runs.dropFirst()).allSatisfy { $0.last < $1.first })
        #expect(runs.allSatisfy { $0.first <= $0.last && ($0.last - $0.first) % $0.step == 0 })
    }

    @Test func `a folded character folds to itself`() {
        for scalar in Self.scalars {
            let folded = CaseFolding.folded(scalar.value)
            #expect(Unicode.Scalar(folded) != nil)
            #expect(CaseFolding.folded(folded) == folded)
        }
    }

    /// Whether Unicode 15 has the character. Later versions have letters that the table does not know.
    private static func isKnown(_ scalar: Unicode.Scalar) -> Bool {
        guard let age = scalar.properties.age else { return false }
        return age.major < 15 || age == (15, 0)
    }

    @Test func `upper and lower case of a character have the same folding, except for the dotless i`() {
        var changedCount = 0
        for scalar in Self.scalars {
            guard Self.isKnown(scalar), scalar != "\u{131}" else { continue }
            for other in [scalar.properties.lowercaseMapping, scalar.properties.uppercaseMapping] {
                guard other.unicodeScalars.count == 1, let single = other.unicodeScalars.first,
                    Self.isKnown(single)
                else { continue }
                #expect(CaseFolding.folded(single.value) == CaseFolding.folded(scalar.value), "\(scalar) and \(single)")
                if single != scalar { changedCount += 1 }
            }
        }
        #expect(changedCount > 2_000)
        #expect(CaseFolding.folded(0x131) == 0x131)
    }

    @Test func `a comparison that ignores case agrees with a comparison of the folded texts`() {
        let texts = [
            "", "a", "A", "ab", "Ab", "ÄB", "äb", "ss", "ß", "ẞ", "Kk", "K", "xȺy", "ⱥ", "ΣΣ", "ςσ", "😀a", "İ", "ı",
        ]
        for text in texts {
            for other in texts {
                let (own, folded) = (CaseFolding.folded(text), CaseFolding.folded(other))
                let parts = (0...own.count).contains { own[$0...].starts(with: folded) }
                Array(text.utf8).withUnsafeBytes { text in
                    folded.withUnsafeBytes { other in
                        #expect(CaseFolding.isEqual(text, other) == (own == folded))
                        #expect(CaseFolding.begins(text, with: other) == own.starts(with: folded))
                        #expect(CaseFolding.ends(text, with: other) == own.reversed().starts(with: folded.reversed()))
                        #expect(CaseFolding.contains(text, other) == parts)
                    }
                }
            }
        }
    }

    @Test func `bytes that are not UTF-8 are compared without a trap and equal no text`() {
        let damaged: [[UInt8]] = [
            [0xFF], [0xC3], [0x80, 0x80], [0xF0, 0x9F, 0x98], [0xE2, 0x28, 0xA1], [0x61, 0xC3],
        ]
        for bytes in damaged {
            bytes.withUnsafeBytes { bytes in
                for text in ["", "a", "é", "😀"] {
                    CaseFolding.folded(text).withUnsafeBytes { other in
                        #expect(!CaseFolding.isEqual(bytes, other))
                        _ = CaseFolding.begins(bytes, with: other)
                        _ = CaseFolding.ends(bytes, with: other)
                        _ = CaseFolding.contains(bytes, other)
                    }
                }
            }
        }
    }
}
