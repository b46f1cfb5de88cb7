/// A server's state of one record.
public struct ServerState: Sendable, Hashable {
    /// The version from which the local change started, or `nil` if there was none.
    public var baseVersion: UInt64?
    /// The server's version of the record, or `nil` if it has none.
    public var version: UInt64?
    /// The time of the server's last change of the record, in milliseconds since 1970-01-01T00:00:00Z.
    public var lastChangedAt: Int64
    /// Whether the record is deleted on the server.
    public var isDeleted: Bool

    /// A server's state.
    public init(baseVersion: UInt64? = nil, version: UInt64? = nil, lastChangedAt: Int64 = 0, isDeleted: Bool = false) {
        self.baseVersion = baseVersion
        self.version = version
        self.lastChangedAt = lastChangedAt
        self.isDeleted = isDeleted
    }
}

extension ServerState {
    /// Decodes the bytes of the section (FORMATS, section 3), or returns `nil` if they are not a state.
    init?(encoded bytes: UnsafeRawBufferPointer) {
        guard bytes.count == EventFormat.serverSectionByteCount, let base = bytes.baseAddress else { return nil }
        let pointer = UnsafeRawPointer(base)
        let version = { (offset: Int) -> UInt64? in
            let value = pointer.load(offset, as: UInt64.self)
            return value == .max ? nil : value
        }
        self.init(
            baseVersion: version(0), version: version(8), lastChangedAt: pointer.load(16, as: Int64.self),
            isDeleted: pointer.load(24, as: UInt8.self) != 0)
    }

    /// The section's bytes (FORMATS, section 3).
    var encoded: [UInt8] {
        (baseVersion ?? .max).littleEndianBytes + (version ?? .max).littleEndianBytes
            + lastChangedAt.littleEndianBytes + [isDeleted ? 1 : 0, 0, 0, 0]
    }
}
