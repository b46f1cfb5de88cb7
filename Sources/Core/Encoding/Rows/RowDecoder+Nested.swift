/// Decoding embedded values and lists.
extension RowDecoder {
    /// Reads the next field, an embedded value that `body` reads, or `nil` if it is missing.
    public mutating func decodeEmbeddedIfPresent<Value>(
        _ body: (inout RowDecoder) throws(RowDamage) -> Value
    ) throws(RowDamage) -> Value? {
        guard let bytes = try next() else { return nil }
        guard let embedded = field.embedded else {
            preconditionFailure("\(plan.pointee.layout.name).\(field.name) is no embedded value")
        }
        var nested = try RowDecoder(bytes, layout: embedded, depth: depth + 1)
        return try body(&nested)
    }

    /// Reads the next field, a list whose elements `body` reads, or `nil` if it is missing.
    public mutating func decodeListIfPresent<Value>(
        _ body: (inout ListDecoder) throws(RowDamage) -> Value
    ) throws(RowDamage) -> Value? {
        guard let bytes = try next() else { return nil }
        var list = try ListDecoder(bytes, embedded: field.embedded, depth: depth + 1)
        return try body(&list)
    }

    /// Reads the next field, a required embedded value that `body` reads.
    public mutating func decodeEmbedded<Value>(
        _ body: (inout RowDecoder) throws(RowDamage) -> Value
    ) throws(RowDamage) -> Value {
        guard let value = try decodeEmbeddedIfPresent(body) else { throw missing() }
        return value
    }

    /// Reads the next field, a required list whose elements `body` reads.
    public mutating func decodeList<Value>(
        _ body: (inout ListDecoder) throws(RowDamage) -> Value
    ) throws(RowDamage) -> Value {
        guard let value = try decodeListIfPresent(body) else { throw missing() }
        return value
    }
}

extension ListDecoder {
    /// Reads all elements with `next`. Throws if an element is missing.
    public mutating func all<Element>(
        _ next: (inout ListDecoder) throws(RowDamage) -> Element?
    ) throws(RowDamage) -> [Element] {
        var elements: [Element] = []
        elements.reserveCapacity(count)
        for _ in 0..<count {
            guard let element = try next(&self) else { throw RowDamage("a required element of a list is missing") }
            elements.append(element)
        }
        return elements
    }

    /// Reads all elements with `next`. A missing element is `nil`.
    public mutating func allOrMissing<Element>(
        _ next: (inout ListDecoder) throws(RowDamage) -> Element?
    ) throws(RowDamage) -> [Element?] {
        var elements: [Element?] = []
        elements.reserveCapacity(count)
        for _ in 0..<count { elements.append(try next(&self)) }
        return elements
    }
}
