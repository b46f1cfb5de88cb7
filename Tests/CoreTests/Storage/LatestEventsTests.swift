import CChecksum
import SeededNumbers
import Testing

@testable import TidelogCore

@Suite("Keys whose latest event is not projected")
struct LatestEventsTests {
    private struct Key: Hashable {
        let model: UInt32
        let bytes: [UInt8]
    }

    private func latest(_ records: UnprojectedEvents.LatestEvents, _ key: Key) -> UInt64? {
        key.bytes.withUnsafeBytes { records.latest(of: $0, model: key.model)?.sequence.value }
    }

    private func check(_ records: UnprojectedEvents.LatestEvents, _ expected: [Key: UInt64], _ keys: [Key]) {
        for key in keys { #expect(latest(records, key) == expected[key]) }
    }

    @Test(
        "the latest unprojected event of each record is found, as in a dictionary, until it is projected",
        arguments: [1, 2, 3] as [UInt64])
    func equalsDictionary(seed: UInt64) {
        var random = SeededGenerator(seed)
        let keys = (0..<200).map { _ in Key(model: UInt32(random.below(3)), bytes: random.bytes(random.below(40))) }
        var records = UnprojectedEvents.LatestEvents()
        var expected: [Key: UInt64] = [:]
        for sequence in 1...3_000 as ClosedRange<UInt64> {
            let key = random.pick(keys)
            key.bytes.withUnsafeBytes {
                records.note(.init(sequence: SequenceNumber(sequence), hasValue: true), of: $0, model: key.model)
            }
            expected[key] = sequence
            guard random.once(in: 100) else { continue }
            check(records, expected, keys)
            let end = sequence - min(sequence, UInt64(random.below(50)))
            records.removeAll(upTo: SequenceNumber(end))
            expected = expected.filter { $0.value > end }
            check(records, expected, keys)
        }
    }

    @Test("records whose keys have the same hash are distinguished")
    func equalHashes() throws {
        var seen: [UInt32: [UInt8]] = [:]
        var pairs: [([UInt8], [UInt8])] = []
        var random = SeededGenerator(7)
        while pairs.count < 3 {
            let key = random.bytes(12)
            let hash = key.withUnsafeBytes { tidelog_crc32c(0, $0.baseAddress, $0.count) }
            if let other = seen.updateValue(key, forKey: hash), other != key { pairs.append((key, other)) }
        }
        var records = UnprojectedEvents.LatestEvents()
        for (number, (first, second)) in pairs.enumerated() {
            for (offset, key) in [first, second].enumerated() {
                key.withUnsafeBytes {
                    let sequence = SequenceNumber(UInt64(2 * number + offset + 1))
                    records.note(.init(sequence: sequence, hasValue: true), of: $0, model: 1)
                }
            }
        }
        for (number, (first, second)) in pairs.enumerated() {
            #expect(latest(records, Key(model: 1, bytes: first)) == UInt64(2 * number + 1))
            #expect(latest(records, Key(model: 1, bytes: second)) == UInt64(2 * number + 2))
            #expect(latest(records, Key(model: 2, bytes: first)) == nil)
        }
    }
}
