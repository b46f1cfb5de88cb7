internal import CLMDB

/// A handle to a named tree of keys and values in an environment.
///
/// A keyspace is valid only in the environment in which it was opened. It can be used in the transaction that opened it. After
/// that transaction has committed (or, for a read transaction, has ended), it can be used in transactions that begin or are
/// renewed later. Keys are compared byte by byte, or as native 64-bit unsigned integers if the keyspace was created with
/// integer keys.
public struct Keyspace: Sendable, Hashable {
    let identifier: MDB_dbi

    /// Whether keys are native `UInt64`s. See ``withIntegerKey(_:_:)``.
    public let usesIntegerKeys: Bool

    /// Refuses integer keys of another length. LMDB's comparison would read such keys out of bounds.
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
    /// The integer key in bytes that a cursor of a keyspace with integer keys returned.
    @inlinable
    public init(integerKey bytes: UnsafeRawBufferPointer) {
        precondition(bytes.count == MemoryLayout<UInt64>.size, "An integer key has 8 bytes.")
        self = bytes.loadUnaligned(as: UInt64.self)
    }
}

extension UnsafeRawBufferPointer {
    /// The bytes to which a value of LMDB points.
    @inline(__always)
    init(_ value: MDB_val) { self.init(start: value.mv_data, count: value.mv_size) }
}

extension MDB_val {
    /// A value of LMDB that points to the same bytes. LMDB only reads them.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(mv_size: bytes.count, mv_data: UnsafeMutableRawPointer(mutating: bytes.baseAddress))
    }
}
