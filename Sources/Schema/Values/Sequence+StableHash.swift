extension Sequence<UInt8> {
    /// The FNV-1a hash of the bytes, which is the same in every process and on every machine. It is not cryptographic.
    ///
    /// Other modules inline it, because without that each byte costs a call through a witness table.
    @inlinable package var stableHash: UInt64 { stableHash(after: 0xCBF2_9CE4_8422_2325) }

    /// The FNV-1a hash of the bytes that have the hash `former`, followed by these bytes.
    @inlinable package func stableHash(after former: UInt64) -> UInt64 {
        reduce(former) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }
}
