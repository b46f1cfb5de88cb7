/// Reads the elements of a list value, in order.
public struct ListDecoder {
    /// The number of elements of the list.
    public let count: Int
    private let bytes: UnsafeRawBufferPointer
    private let embedded: RowLayout?
    private let depth: Int
    private var position = 4

    /// A decoder of a list's `bytes` (FORMATS, section 4). The layout of embedded elements is `embedded`.
    @_spi(Adapters) public init(_ bytes: UnsafeRawBufferPointer, embedded: RowLayout? = nil) throws(RowDamage) {
        try self.init(bytes, embedded: embedded, depth: 1)
    }

    /// A decoder of a list at a nesting depth of `depth` embedded values and lists, including itself.
    init(_ bytes: UnsafeRawBufferPointer, embedded: RowLayout?, depth: Int) throws(RowDamage) {
        try RowView.check(depth: depth)
        guard bytes.count >= 4, let base = bytes.baseAddress else { throw RowDamage("a list is cut") }
        count = Int(UnsafeRawPointer(base).load(0, as: UInt32.self))
        guard count <= (bytes.count - 4) / 4 else { throw RowDamage("a list has fewer elements than it says") }
        self.bytes = bytes
        self.embedded = embedded
        self.depth = depth
    }

    /// Reads the bytes of the next element, or `nil` if it is missing. Call this method ``count`` times.
    public mutating func nextBytes() throws(RowDamage) -> UnsafeRawBufferPointer? {
        guard bytes.count - position >= 4, let base = bytes.baseAddress else { throw RowDamage("a list is cut") }
        let length = UnsafeRawPointer(base).load(position, as: UInt32.self)
        position += 4
        if length == ListEncoder.missingElement { return nil }
        guard Int(length) <= bytes.count - position else { throw RowDamage("a list's element is cut") }
        defer { position += Int(length) }
        return UnsafeRawBufferPointer(start: base + position, count: Int(length))
    }

    /// Reads the next element, a text, number, truth value or temporal, or `nil` if it is missing.
    public mutating func next<Value: StoredFieldValue>(_ type: Value.Type) throws(RowDamage) -> Value? {
        guard let bytes = try nextBytes() else { return nil }
        return try Value.decoded(from: bytes)
    }

    /// Reads the next element as an embedded value that `body` reads, or `nil` if it is missing.
    public mutating func nextEmbedded<Value>(
        _ body: (inout RowDecoder) throws(RowDamage) -> Value
    ) throws(RowDamage) -> Value? {
        guard let bytes = try nextBytes() else { return nil }
        guard let embedded else { preconditionFailure("the list holds no embedded values") }
        var nested = try RowDecoder(bytes, layout: embedded, depth: depth + 1)
        return try body(&nested)
    }

    /// Reads the next element as a list that `body` reads, or `nil` if it is missing.
    public mutating func nextList<Value>(
        _ body: (inout ListDecoder) throws(RowDamage) -> Value
    ) throws(RowDamage) -> Value? {
        guard let bytes = try nextBytes() else { return nil }
        var nested = try ListDecoder(bytes, embedded: embedded, depth: depth + 1)
        return try body(&nested)
    }

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
