import SeededNumbers
import Testing

@_spi(Adapters) @testable import TidelogCore

@Suite struct CheckpointTests {
    @Test func `a checkpoint is the same after encoding and decoding`() throws {
        var generator = SeededGenerator(141)
        for _ in 0..<200 {
            let checkpoint = Checkpoint(
                store: StoreID(high: generator.next(), low: generator.next()),
                sequence: SequenceNumber(generator.next()), chain: generator.next(),
                schemaVersion: UInt32(truncatingIfNeeded: generator.next()), projectionSignature: generator.next())
            #expect(checkpoint.encoded.count == Checkpoint.byteCount)
            #expect(checkpoint.encoded.withUnsafeBytes { Checkpoint(encoded: $0) } == checkpoint)
        }
    }

    @Test func `a checkpoint has the bytes that FORMATS describes`() {
        let checkpoint = Checkpoint(
            store: StoreID(high: 3, low: 4), sequence: SequenceNumber(5), chain: 6, schemaVersion: 2,
            projectionSignature: 7)
        let words: [UInt8] = [3, 4, 5, 6, 7].flatMap { [$0, 0, 0, 0, 0, 0, 0, 0] }
        #expect(checkpoint.encoded == [1, 0, 0, 0, 2, 0, 0, 0] + words)
    }

    @Test func `bytes of another length or format are no checkpoint`() {
        let bytes = Checkpoint(
            store: .random(), sequence: .zero, chain: 0, schemaVersion: 1, projectionSignature: 0
        ).encoded
        for count in 0..<bytes.count { #expect(bytes[..<count].withUnsafeBytes { Checkpoint(encoded: $0) } == nil) }
        #expect((bytes + [0]).withUnsafeBytes { Checkpoint(encoded: $0) } == nil)
        #expect(([2] + bytes.dropFirst()).withUnsafeBytes { Checkpoint(encoded: $0) } == nil)
    }

    @Test func `a store's id prints as 32 hexadecimal digits`() {
        #expect(StoreID(high: 0xAB, low: 1).description == "00000000000000ab0000000000000001")
    }
}
