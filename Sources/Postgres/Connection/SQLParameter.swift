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

    /// An array with one dimension.
    ///
    /// - Parameters:
    ///   - element: A value of the elements' type.
    ///   - elements: The length and the bytes of each element, in PostgreSQL's binary format.
    static func array(of element: SQLParameter, count: Int, hasNull: Bool, elements: [UInt8]) -> SQLParameter {
        guard let type = arrayTypes[element.type] else { preconditionFailure("there are no arrays of this type") }
        let dimensions: [UInt32] = count == 0 ? [] : [UInt32(count), 1]
        let head = [UInt32(dimensions.isEmpty ? 0 : 1), hasNull ? 1 : 0, element.type] + dimensions
        return SQLParameter(type, head.flatMap { bigEndian($0) } + elements)
    }

    /// The numbers of the types of arrays, by the type of their elements.
    private static let arrayTypes: [UInt32: UInt32] = [
        16: 1_000, 17: 1_001, 20: 1_016, 25: 1_009, 701: 1_022, 3_802: 3_807,
    ]

    private static func bigEndian(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
    private static func bigEndian(_ number: UInt64) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
