/// The values of one parameter for many rows, as an array in PostgreSQL's binary format.
struct ParameterArray {
    private let element: SQLParameter
    private var count = 0
    private var hasNull = false
    private var bytes: [UInt8] = []

    /// An empty array whose elements have the type of `element`.
    init(of element: SQLParameter) { self.element = element.missing }

    mutating func append(_ value: SQLParameter) {
        precondition(value.type == element.type, "all elements of an array have one type")
        count += 1
        guard let value = value.bytes else {
            hasNull = true
            append(UInt32.max)
            return
        }
        append(UInt32(value.count))
        bytes += value
    }

    private mutating func append(_ number: UInt32) { withUnsafeBytes(of: number.bigEndian) { bytes += $0 } }

    var parameter: SQLParameter { .array(of: element, count: count, hasNull: hasNull, elements: bytes) }
}

extension ParameterArray {
    /// An array of keys.
    init(_ keys: [[UInt8]]) {
        self.init(of: .bytes([]))
        for key in keys { append(.bytes(key)) }
    }
}
