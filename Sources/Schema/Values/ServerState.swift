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
