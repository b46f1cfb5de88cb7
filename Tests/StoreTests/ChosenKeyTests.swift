import CChecksum
import TestStores
import Testing
import Tidelog

@Suite("Ids that an attacker could choose", .timeLimit(.minutes(5)))
struct ChosenKeyTests {
    /// Texts of 24 bytes that all have the same CRC-32C. Longer texts that differ only in these bytes have equal
    /// checksums too.
    ///
    /// The checksum is linear. The lower four bits of the last twelve bytes give 48 bits. This method chooses bits
    /// among them that cancel the effect of the first bytes.
    private func textsOfOneChecksum(_ count: Int) -> [String] {
        let zero = [UInt8](repeating: 0x40, count: 24)
        let checksum = { (bytes: [UInt8]) in bytes.withUnsafeBytes { tidelog_crc32c(0, $0.baseAddress, $0.count) } }
        let wanted = checksum(zero)
        /// Each entry has some bits and their effect: the change of the checksum if these bits are flipped. The key is
        /// the place of the highest bit of the effect.
        var basis: [Int: (effect: UInt32, bits: UInt64)] = [:]
        let reduce = { (effect: UInt32) -> (effect: UInt32, bits: UInt64) in
            var (rest, used): (UInt32, UInt64) = (effect, 0)
            while rest != 0, let entry = basis[rest.leadingZeroBitCount] {
                rest ^= entry.effect
                used ^= entry.bits
            }
            return (rest, used)
        }
        let flip = { (bytes: inout [UInt8], bits: UInt64) in
            for bit in 0..<48 where bits & 1 << bit != 0 { bytes[12 + bit / 4] ^= 1 << (bit % 4) }
        }
        for bit in 0..<48 {
            var bytes = zero
            flip(&bytes, 1 << bit)
            let (rest, used) = reduce(checksum(bytes) ^ wanted)
            if rest != 0 { basis[rest.leadingZeroBitCount] = (rest, used ^ 1 << bit) }
        }
        return (0..<count).map { number in
            let digits = String(number)
            var bytes = Array((String(repeating: "0", count: 12 - digits.count) + digits).utf8) + zero[12...]
            let (rest, used) = reduce(checksum(bytes) ^ wanted)
            precondition(rest == 0, "48 bits reach every checksum")
            flip(&bytes, used)
            precondition(checksum(bytes) == wanted, "the checksum is the wanted one")
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    @Test("60,000 ids with the same checksum are saved without a slowdown, in one write and in many")
    func oneChecksum() async throws {
        let ids = textsOfOneChecksum(60_000)
        #expect(Set(ids).count == 60_000)
        let store = try await DataStore.inMemory(schema: noteSchema)
        try await store.write { tx in for id in ids { try tx.save(Note(id: id, title: "a")) } }
        #expect(try await store.count(Note.all) == 60_000)
        for start in stride(from: 0, to: ids.count, by: 200) {
            try await store.write { tx in for id in ids[start..<start + 200] { try tx.save(Note(id: id, title: "b")) } }
        }
        #expect(try await store.count(Note.where(Note.keys.title == "b")) == 60_000)
        try await store.close()
    }
}
