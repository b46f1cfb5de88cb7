import SeededNumbers
import Testing
import TidelogAgreement
import TidelogSynchronization

@testable import TidelogServer

@Suite("Sealed texts")
struct SealerTests {
    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    private static func sealer(_ key: UInt8, seed: UInt64 = 1) -> Sealer {
        let random = Mutex(SeededGenerator(seed))
        return Sealer(key: [UInt8](repeating: key, count: 32)) { count in random.withLock { $0.bytes(count) } }
    }

    @Test("AES-256-GCM agrees with the specification's test cases 13 and 14")
    func vectors() throws {
        let zero = [UInt8](repeating: 0, count: 32)
        #expect(
            Self.hexadecimal(try AuthenticatedCipher.encrypt([], in: [], key: zero))
                == "530f8afbc74536b9a963b4f1c4cb738b")
        #expect(
            Self.hexadecimal(try AuthenticatedCipher.encrypt([UInt8](repeating: 0, count: 16), in: [], key: zero))
                == "cea7403d4d606b6e074ec5d3baf39d18d0d1c8a799996bf0265b98b5d48ab919")
    }

    @Test("a sealed text opens only in its context, with its key and unchanged")
    func opens() throws {
        var random = SeededGenerator(5)
        let sealer = Self.sealer(1)
        for _ in 0..<200 {
            let bytes = random.bytes(random.below(200))
            let context = random.bytes(random.below(20))
            let text = try sealer.seal(bytes, in: context)
            #expect(sealer.open(text, in: context) == bytes)
            #expect(sealer.open(text, in: context + [0]) == nil)
            #expect(Self.sealer(2).open(text, in: context) == nil)
            var changed = Array(text.utf8)
            let place = random.below(changed.count)
            changed[place] = changed[place] == 65 ? 66 : 65
            let other = String(decoding: changed, as: UTF8.self)
            // The last letter of base64url may have unused bits, so another letter can stand for the same bytes.
            if place < changed.count - 1 { #expect(sealer.open(other, in: context) == nil) }
            #expect(sealer.open(String(text.dropLast(random.below(text.count) + 1)), in: context) == nil)
        }
        for text in ["", "A", "====", String(repeating: "A", count: 31), String(repeating: "A", count: 5_000)] {
            #expect(sealer.open(text, in: []) == nil)
        }
    }

    @Test("a sealed text hides its content, differs each time, and has one length for all short contents")
    func secret() throws {
        let sealer = Self.sealer(1)
        let bytes = Array("canary of somebody else".utf8)
        let (one, other) = (try sealer.seal(bytes, in: []), try sealer.seal(bytes, in: []))
        #expect(one != other)
        let opened = try #require(Base64URL.decode(one.utf8))
        #expect(!String(decoding: opened, as: UTF8.self).contains("canary"))
        #expect(
            try Set((0..<60).map { try sealer.seal([UInt8](repeating: 7, count: $0), in: []).utf8.count }).count == 1)
    }
}
