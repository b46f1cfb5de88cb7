internal import CLMDB

/// A handle to a named tree of keys and values in an environment.
///
/// A keyspace is valid in the environment it was opened in, in the transaction that opened it, and, once that one
/// has committed (or a read transaction ended), in transactions begun or renewed afterwards. Keys are compared byte
/// by byte, or as native 64-bit unsigned integers where the keyspace was made with integer keys.
public struct Keyspace: Sendable, Hashable {
    let identifier: MDB_dbi

    /// Whether keys are native `UInt64`s, see ``withIntegerKey(_:_:)``.
    public let usesIntegerKeys: Bool

    /// Integer keys of another length would be read out of bounds by LMDB's comparison.
    @inline(__always)
    func checkKey(_ key: UnsafeRawBufferPointer, _ operation: StaticString) throws(LMDBError) {
        if usesIntegerKeys && key.count != MemoryLayout<UInt64>.size {
            throw LMDBError(.badValueSize, operation, "an integer key has 8 bytes")
        }
    }
}

/// Passes the bytes of an integer key, in native byte order, to `body`.
@inlinable
@inline(__always)
public func withIntegerKey<Result, Failure: Error>(
    _ key: UInt64, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
) throws(Failure) -> Result {
    try withUnsafeBytes(of: key, body)
}

extension UInt64 {
    /// The integer key in the bytes that a cursor over a keyspace with integer keys returned.
    @inlinable
    public init(integerKey bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count == MemoryLayout<UInt64>.size, "An integer key has 8 bytes.")
        self = bytes.loadUnaligned(as: UInt64.self)
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes a value of LMDB points to.
    @inline(__always)
    init(_ value: MDB_val) {
        self.init(start: value.mv_data, count: value.mv_size)
    }
}

extension MDB_val {
    /// A value of LMDB that points to the same bytes; LMDB only reads them.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}
