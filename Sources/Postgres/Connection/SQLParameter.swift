/// The value of a parameter, in PostgreSQL's binary format.
struct SQLParameter: Sendable, Hashable {
    /// The number of the type in PostgreSQL's catalogue; 0 lets PostgreSQL decide.
    let type: UInt32
    /// The bytes; `nil` for NULL.
    let bytes: [UInt8]?

    private init(_ type: UInt32, _ bytes: [UInt8]?) { (self.type, self.bytes) = (type, bytes) }

    static func bool(_ value: Bool) -> SQLParameter { SQLParameter(16, [value ? 1 : 0]) }
    static func bytes(_ value: some Sequence<UInt8>) -> SQLParameter { SQLParameter(17, Array(value)) }
    static func int(_ value: Int64) -> SQLParameter { SQLParameter(20, bigEndian(UInt64(bitPattern: value))) }
    static func text(_ utf8: some Sequence<UInt8>) -> SQLParameter { SQLParameter(25, Array(utf8)) }
    static func text(_ value: String) -> SQLParameter { SQLParameter(25, Array(value.utf8)) }
    static func double(_ value: Double) -> SQLParameter { SQLParameter(701, bigEndian(value.bitPattern)) }
    /// A JSON text. The binary format of `jsonb` begins with its version, 1.
    static func json(_ utf8: [UInt8]) -> SQLParameter { SQLParameter(3802, [1] + utf8) }

    /// NULL for a column that has the type of this value.
    var missing: SQLParameter { SQLParameter(type, nil) }

    private static func bigEndian(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
