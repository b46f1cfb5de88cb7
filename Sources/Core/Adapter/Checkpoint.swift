/// The checkpoint of an adapter's rows: how much of the log they contain. The adapter stores it with the rows, in the
/// same transaction.
@_spi(Adapters) public struct Checkpoint: Sendable, Hashable {
    /// The store whose log the rows were made from.
    public let store: StoreID
    /// The last event that the rows contain.
    public let sequence: SequenceNumber
    /// The log's chain value after that event. It distinguishes different histories.
    public let chain: UInt64
    /// The version of the schema that the rows have.
    public let schemaVersion: UInt32
    /// A signature of the registered projections. It shows whether their rows are complete.
    public let projectionSignature: UInt64

    /// A checkpoint at `sequence` of `store`.
    public init(
        store: StoreID, sequence: SequenceNumber, chain: UInt64, schemaVersion: UInt32, projectionSignature: UInt64
    ) {
        self.store = store
        self.sequence = sequence
        self.chain = chain
        self.schemaVersion = schemaVersion
        self.projectionSignature = projectionSignature
    }

    /// The size of an encoded checkpoint in bytes.
    public static let byteCount = 48

    /// The encoded checkpoint (FORMATS, section 7.2), which adapters store.
    public var encoded: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        bytes.append(littleEndian: UInt32(1))
        bytes.append(littleEndian: schemaVersion)
        bytes.append(littleEndian: store.high)
        bytes.append(littleEndian: store.low)
        bytes.append(littleEndian: sequence.value)
        bytes.append(littleEndian: chain)
        bytes.append(littleEndian: projectionSignature)
        return bytes
    }

    /// Decodes a checkpoint from `bytes`. The result is `nil` if they are not a checkpoint.
    public init?(encoded bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount, let base = bytes.baseAddress else { return nil }
        let pointer = UnsafeRawPointer(base)
        guard pointer.load(0, as: UInt32.self) == 1 else { return nil }
        self.init(
            store: StoreID(high: pointer.load(8, as: UInt64.self), low: pointer.load(16, as: UInt64.self)),
            sequence: SequenceNumber(pointer.load(24, as: UInt64.self)), chain: pointer.load(32, as: UInt64.self),
            schemaVersion: pointer.load(4, as: UInt32.self), projectionSignature: pointer.load(40, as: UInt64.self))
    }
}
