import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct IDKeyGroupTests {
    private static func key(_ id: String) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: 512, alignment: 8) { buffer in
            var encoder = KeyEncoder(buffer)
            var id = id
            id.withUTF8 { encoder.append(id: UnsafeRawBufferPointer($0)) }
            return Array(encoder.bytes)
        }
    }

    private static func uuid(_ generator: inout SeededGenerator) -> String {
        // Only a few digits are used, so that ids and constants are often equal in part.
        let digits = (0..<32).map { _ in String(generator.pick([0, 0, 1, 9, 10, 15]), radix: 16) }
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { digits[$0].joined() }
        return parts.joined(separator: "-")
    }

    private static func constant(_ generator: inout SeededGenerator) -> String {
        let text = generator.once(in: 2) ? uuid(&generator) : uuid(&generator).uppercased()
        let cut = String(text.prefix(generator.below(38)))
        switch generator.below(4) {
        case 0: return text
        case 1: return cut
        case 2: return cut + generator.pick(["-", "g", "G", " ", "~", "/", ":", "@", "`", "\u{0}", "é", "0"])
        default: return generator.pick(["", "a", "A", "0", "z", "\u{10FFFF}", "\u{0}", "a\u{0}", "a\u{0}b"])
        }
    }

    private static func holds(_ comparison: QueryPredicate.Comparison, _ id: String) -> Bool {
        func order(_ value: FieldValue) -> Int {
            guard case .string(let text) = value else { return 0 }
            if id.utf8.lexicographicallyPrecedes(text.utf8) { return -1 }
            return Array(id.utf8) == Array(text.utf8) ? 0 : 1
        }
        return switch comparison {
        case .equal(let value?): order(value) == 0
        case .less(let value): order(value) < 0
        case .lessOrEqual(let value): order(value) <= 0
        case .greater(let value): order(value) > 0
        case .greaterOrEqual(let value): order(value) >= 0
        case .between(let lower, let upper): order(lower) >= 0 && order(upper) <= 0
        case .beginsWith(let prefix): id.utf8.starts(with: prefix.utf8)
        default: false
        }
    }

    @Test(arguments: IDKeyGroup.allCases)
    func `ids that satisfy a comparison are exactly those in a range of the group's keys`(group: IDKeyGroup) throws {
        var generator = SeededGenerator(UInt64(group.rawValue))
        var found = 0
        for _ in 0..<200 {
            let ids = (0..<20).map { _ in
                switch group {
                case .lowercaseUUIDs: Self.uuid(&generator)
                case .uppercaseUUIDs: Self.uuid(&generator).uppercased()
                case .otherTexts: Self.constant(&generator)
                }
            }.filter { Self.key($0).first == group.rawValue }
            for _ in 0..<20 {
                let text = generator.once(in: 3) ? generator.pick(ids + ["x"]) : Self.constant(&generator)
                let value = FieldValue.string(text)
                let comparisons: [QueryPredicate.Comparison] = [
                    .equal(value), .less(value), .lessOrEqual(value), .greater(value), .greaterOrEqual(value),
                    .between(value, .string(Self.constant(&generator))), .beginsWith(text),
                ]
                for comparison in comparisons {
                    let keys = try #require(group.keys(comparison))
                    for id in ids {
                        let key = Self.key(id)
                        let isInside =
                            !key.lexicographicallyPrecedes(keys.lower) && key.lexicographicallyPrecedes(keys.upper)
                        #expect(isInside == Self.holds(comparison, id), "\(comparison) of \(id)")
                        found += isInside ? 1 : 0
                    }
                }
            }
        }
        #expect(found > 1_000)
    }

    @Test func `a range of keys gives the group of its two bounds, or nil if they have no group in common`() {
        let (lower, upper) = (
            Self.key("0f9a0000-0000-4000-8000-00000000000a"), Self.key("0F9A0000-0000-4000-8000-00000000000A")
        )
        let text = Self.key("a")
        func group(_ first: [UInt8], _ last: [UInt8]) -> IDKeyGroup? {
            first.withUnsafeBytes { first in last.withUnsafeBytes { IDKeyGroup(ofKeysFrom: first, to: $0) } }
        }
        #expect(group(lower, lower) == .lowercaseUUIDs)
        #expect(group(upper, upper) == .uppercaseUUIDs)
        #expect(group(text, text) == .otherTexts)
        #expect(group(lower, text) == nil)
        #expect(group([], []) == nil)
    }
}
