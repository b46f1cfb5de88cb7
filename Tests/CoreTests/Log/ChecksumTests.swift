import CChecksum
import SeededNumbers
import Testing

@testable import TidelogCore

@Suite struct ChecksumTests {
    @Test func `the checksum is CRC-32C over the body, the length and the chain`() {
        // The examples of RFC 3720, B.4, and the check value of CRC-32C.
        #expect(crc(Array("123456789".utf8)) == 0xE306_9283)
        #expect(crc([UInt8](repeating: 0, count: 32)) == 0x8A91_36AA)
        #expect(crc([UInt8](repeating: 0xFF, count: 32)) == 0x62A8_AB43)
        #expect(crc(Array(0..<32)) == 0x46DD_794E)
        var generator = SeededGenerator(131)
        for _ in 0..<200 {
            let body = generator.bytes(generator.below(80))
            let (length, previous) = (UInt32(truncatingIfNeeded: generator.next()), generator.next())
            let sealed = body.withUnsafeBytes { Checksum.seal(body: $0, length: length, after: previous) }
            let inner = crc(body + bytes(length))
            let chain = Checksum.mix(previous &+ (UInt64(inner) << 32 | UInt64(length)) &+ 0x9E37_79B9_7F4A_7C15)
            #expect(sealed.chain == chain)
            #expect(sealed.checksum == crc(body + bytes(length) + bytes(chain)))
            let checked = body.withUnsafeBytes { Checksum.checksum(body: $0, length: length, chain: sealed.chain) }
            #expect(checked == sealed.checksum)
        }
    }

    @Test func `a changed bit in an event's body, length or history changes its chain and its checksum`() {
        var generator = SeededGenerator(132)
        let body = generator.bytes(90)
        let sealed = seal(body, 106, 7)
        for bit in 0..<(body.count * 8) {
            var changed = body
            changed[bit / 8] ^= 1 << (bit % 8)
            let other = seal(changed, 106, 7)
            #expect(other.chain != sealed.chain && other.checksum != sealed.checksum)
            #expect(checksum(changed, 106, sealed.chain) != sealed.checksum)
        }
        for bit in 0..<64 {
            #expect(seal(body, 106, 7 ^ 1 << bit).chain != sealed.chain)
            #expect(seal(body, 106, 7 ^ 1 << bit).checksum != sealed.checksum)
            #expect(checksum(body, 106, sealed.chain ^ 1 << bit) != sealed.checksum)
        }
        for bit in 0..<32 {
            let other = seal(body, 106 ^ 1 << bit, 7)
            #expect(other.chain != sealed.chain && other.checksum != sealed.checksum)
            #expect(checksum(body, 106 ^ 1 << bit, sealed.chain) != sealed.checksum)
        }
        #expect(checksum(body, 106, sealed.chain) == sealed.checksum)
    }

    @Test func `computing three checksums at once gives the same sums as computing each alone`() {
        var generator = SeededGenerator(133)
        for _ in 0..<500 {
            let runs = (0..<3).map { _ in generator.bytes(generator.below(90)) }
            runs[0].withUnsafeBytes { first in
                runs[1].withUnsafeBytes { second in
                    runs[2].withUnsafeBytes { third in
                        var sums = [first, second, third].map {
                            tidelog_crc32c_run(bytes: $0.baseAddress, length: $0.count, crc: 0)
                        }
                        sums.withUnsafeMutableBufferPointer { sums in
                            guard let base = sums.baseAddress else { return }
                            tidelog_crc32c_three(base, base + 1, base + 2)
                        }
                        #expect(sums.map(\.crc) == runs.map(crc))
                    }
                }
            }
        }
    }

    private func seal(_ body: [UInt8], _ length: UInt32, _ previous: UInt64) -> (chain: UInt64, checksum: UInt32) {
        body.withUnsafeBytes { Checksum.seal(body: $0, length: length, after: previous) }
    }

    /// The checksum that a reader computes from an event's parts, of which some may be changed.
    private func checksum(_ body: [UInt8], _ length: UInt32, _ chain: UInt64) -> UInt32 {
        body.withUnsafeBytes { Checksum.checksum(body: $0, length: length, chain: chain) }
    }

    private func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }

    /// Computes CRC-32C bit by bit.
    private func crc(_ bytes: [UInt8]) -> UInt32 {
        var crc = ~UInt32(0)
        for byte in bytes {
            crc ^= UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0x82F6_3B78 : crc >> 1 }
        }
        return ~crc
    }
}
