internal import CChecksum

/// The checksum and chain of events (FORMATS, section 3.1).
package enum Checksum {
    /// The 64-bit finalizer of the chain.
    @inline(__always)
    static func mix(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// The chain value and the checksum of an event. The argument `body` has its bytes from offset 16 on, and
    /// `previous` is the chain value of the event before it.
    @inline(__always)
    static func seal(
        body: UnsafeRawBufferPointer, length: UInt32, after previous: UInt64
    ) -> (chain: UInt64, checksum: UInt32) {
        seal(bodyCRC: tidelog_crc32c(0, body.baseAddress, body.count), length: length, after: previous)
    }

    /// The chain value and the checksum of an event whose body has the checksum `bodyCRC`. The event before it has the
    /// chain value `previous`.
    @inline(__always)
    static func seal(bodyCRC: UInt32, length: UInt32, after previous: UInt64) -> (chain: UInt64, checksum: UInt32) {
        var littleLength = length.littleEndian
        let crc = tidelog_crc32c(bodyCRC, &littleLength, 4)
        let chain = chain(bodyAndLength: crc, length: length, after: previous)
        return (chain, checksum(bodyAndLength: crc, chain: chain))
    }

    /// The chain value of an event of `length` bytes. The event before it has the chain value `previous`.
    @inline(__always)
    package static func chain(bodyAndLength crc: UInt32, length: UInt32, after previous: UInt64) -> UInt64 {
        mix(previous &+ (UInt64(crc) << 32 | UInt64(length)) &+ 0x9E37_79B9_7F4A_7C15)
    }

    /// The checksum of an event's body and length, which the chain value is made from.
    package static func bodyAndLength(_ body: UnsafeRawBufferPointer, length: UInt32) -> UInt32 {
        var littleLength = length.littleEndian
        return tidelog_crc32c(tidelog_crc32c(0, body.baseAddress, body.count), &littleLength, 4)
    }

    /// The checksum of an event with the chain value `chain`.
    static func checksum(body: UnsafeRawBufferPointer, length: UInt32, chain: UInt64) -> UInt32 {
        checksum(bodyAndLength: bodyAndLength(body, length: length), chain: chain)
    }

    /// The checksum of an event with the chain value `chain`.
    @inline(__always)
    package static func checksum(bodyAndLength crc: UInt32, chain: UInt64) -> UInt32 {
        var littleChain = chain.littleEndian
        return tidelog_crc32c(crc, &littleChain, 8)
    }
}
