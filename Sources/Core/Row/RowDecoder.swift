/// Reads one row, field after field in declaration order.
public struct RowDecoder {
    private let view: RowView
    private let layout: RowLayout
    private let depth: Int
    private var ordinal = 0
    /// Unmanaged, so that models without relations do not pay for it; whoever reads the row keeps the handle meanwhile.
    private let store: Unmanaged<StoreHandle>?

    /// A decoder of `view`, whose fields are laid out as `layout` says.
    @inline(__always)
    public init(_ view: RowView, layout: RowLayout) {
        self.view = view
        self.layout = layout
        depth = 0
        store = nil
    }

    /// A decoder of `view`, which was read from the store of `handle`.
    @inline(__always)
    init(_ view: RowView, layout: RowLayout, store handle: StoreHandle?) {
        self.view = view
        self.layout = layout
        depth = 0
        store = handle.map { Unmanaged.passUnretained($0) }
    }

    /// A decoder of an embedded value's `bytes`, `depth` embedded values and lists deep.
    init(_ bytes: UnsafeRawBufferPointer, layout: RowLayout, depth: Int) throws(RowDamage) {
        try RowView.check(depth: depth)
        view = try RowView(bytes)
        self.layout = layout
        self.depth = depth
        store = nil
    }

    /// A relation of the record, not loaded yet, which remembers the store that the row was read from. Takes no field.
    public func lazyRelation<Target: Model>() -> LazyRelation<Target> { LazyRelation(store: storeHandle) }

    /// The handle of the store that the row was read from, `nil` where it comes from elsewhere.
    var storeHandle: StoreHandle? { store?.takeUnretainedValue() }

    @inline(__always)
    private mutating func nextSlot() -> Int {
        precondition(ordinal < layout.fields.count, "a model decodes as many values as it has fields")
        defer { ordinal += 1 }
        return layout.isSequential ? ordinal : layout.fields[ordinal].slot
    }

    func missing() -> RowDamage {
        RowDamage("the required field \(layout.fields[ordinal - 1].name) is missing")
    }

    /// The next field, an `ID`, `String` or enum, or `nil` where it is missing.
    @inline(__always)
    public mutating func decodeIfPresent(_ type: String.Type) throws(RowDamage) -> String? {
        try view.string(nextSlot())
    }

    /// The next field, a required `ID`, `String` or enum.
    @inline(__always)
    public mutating func decode(_ type: String.Type) throws(RowDamage) -> String {
        guard let value = try view.string(nextSlot()) else { throw missing() }
        return value
    }

    /// The next field, an `Int`, or `nil` where it is missing.
    public mutating func decodeIfPresent(_ type: Int.Type) throws(RowDamage) -> Int? {
        try view.int(nextSlot()).map { Int($0) }
    }

    /// The next field, a required `Int`.
    public mutating func decode(_ type: Int.Type) throws(RowDamage) -> Int {
        guard let value = try view.int(nextSlot()) else { throw missing() }
        return Int(value)
    }

    /// The next field, a `Float`, or `nil` where it is missing.
    public mutating func decodeIfPresent(_ type: Double.Type) throws(RowDamage) -> Double? {
        try view.double(nextSlot())
    }

    /// The next field, a required `Float`.
    public mutating func decode(_ type: Double.Type) throws(RowDamage) -> Double {
        guard let value = try view.double(nextSlot()) else { throw missing() }
        return value
    }

    /// The next field, a `Boolean`, or `nil` where it is missing.
    public mutating func decodeIfPresent(_ type: Bool.Type) throws(RowDamage) -> Bool? {
        try view.bool(nextSlot())
    }

    /// The next field, a required `Boolean`.
    public mutating func decode(_ type: Bool.Type) throws(RowDamage) -> Bool {
        guard let value = try view.bool(nextSlot()) else { throw missing() }
        return value
    }

    /// The next field, an `AWSTimestamp`, or `nil` where it is missing.
    public mutating func decodeIfPresent(_ type: Temporal.Timestamp.Type) throws(RowDamage) -> Temporal.Timestamp? {
        try view.int(nextSlot()).map { Temporal.Timestamp(seconds: $0) }
    }

    /// The next field, a required `AWSTimestamp`.
    public mutating func decode(_ type: Temporal.Timestamp.Type) throws(RowDamage) -> Temporal.Timestamp {
        guard let value = try decodeIfPresent(type) else { throw missing() }
        return value
    }

    /// The next field, a temporal, or `nil` where it is missing.
    public mutating func decodeIfPresent<Value: TemporalText>(_ type: Value.Type) throws(RowDamage) -> Value? {
        try view.temporal(nextSlot()).map { Value(uncheckedText: $0.text, instant: $0.instant) }
    }

    /// The next field, a required temporal.
    public mutating func decode<Value: TemporalText>(_ type: Value.Type) throws(RowDamage) -> Value {
        guard let value = try decodeIfPresent(type) else { throw missing() }
        return value
    }

    /// The next field, an enum, or `nil` where it is missing.
    public mutating func decodeIfPresent<Value: RawRepresentable>(
        _ type: Value.Type
    ) throws(RowDamage) -> Value? where Value.RawValue == String {
        guard let text = try view.string(nextSlot()) else { return nil }
        guard let value = Value(rawValue: text) else { throw RowDamage("an enum has a case this build does not know") }
        return value
    }

    /// The next field, a required enum.
    public mutating func decode<Value: RawRepresentable>(
        _ type: Value.Type
    ) throws(RowDamage) -> Value where Value.RawValue == String {
        guard let value = try decodeIfPresent(type) else { throw missing() }
        return value
    }

    /// The next field, an embedded value that `body` reads, or `nil` where it is missing.
    public mutating func decodeEmbeddedIfPresent<Value>(
        _ body: (inout RowDecoder) throws(RowDamage) -> Value
    ) throws(RowDamage) -> Value? {
        guard let bytes = try view.value(nextSlot()) else { return nil }
        guard let embedded = layout.fields[ordinal - 1].embedded else {
            preconditionFailure("\(layout.name).\(layout.fields[ordinal - 1].name) is no embedded value")
        }
        var nested = try RowDecoder(bytes, layout: embedded, depth: depth + 1)
        return try body(&nested)
    }

    /// The next field, a list whose elements `body` reads, or `nil` where it is missing.
    public mutating func decodeListIfPresent<Value>(
        _ body: (inout ListDecoder) throws(RowDamage) -> Value
    ) throws(RowDamage) -> Value? {
        guard let bytes = try view.value(nextSlot()) else { return nil }
        var list = try ListDecoder(bytes, embedded: layout.fields[ordinal - 1].embedded, depth: depth + 1)
        return try body(&list)
    }
}

/// Reads the elements of a list value, in order.
public struct ListDecoder {
    /// How many elements the list has.
    public let count: Int
    private let bytes: UnsafeRawBufferPointer
    private let embedded: RowLayout?
    private let depth: Int
    private var position = 4

    /// A decoder of a list's `bytes` (FORMATS, section 4), whose embedded elements, if any, are laid out as `embedded`.
    public init(_ bytes: UnsafeRawBufferPointer, embedded: RowLayout? = nil) throws(RowDamage) {
        try self.init(bytes, embedded: embedded, depth: 1)
    }

    /// A decoder of a list that is itself the last of `depth` embedded values and lists in each other.
    init(_ bytes: UnsafeRawBufferPointer, embedded: RowLayout?, depth: Int) throws(RowDamage) {
        try RowView.check(depth: depth)
        guard bytes.count >= 4, let base = bytes.baseAddress else { throw RowDamage("a list is cut") }
        count = Int(UnsafeRawPointer(base).load(0, as: UInt32.self))
        guard count <= (bytes.count - 4) / 4 else { throw RowDamage("a list has fewer elements than it says") }
        self.bytes = bytes
        self.embedded = embedded
        self.depth = depth
    }

    /// The bytes of the next element, `nil` where it is missing. Call it ``count`` times.
    public mutating func nextBytes() throws(RowDamage) -> UnsafeRawBufferPointer? {
        guard bytes.count - position >= 4, let base = bytes.baseAddress else { throw RowDamage("a list is cut") }
        let length = UnsafeRawPointer(base).load(position, as: UInt32.self)
        position += 4
        if length == ListEncoder.missingElement { return nil }
        guard Int(length) <= bytes.count - position else { throw RowDamage("a list's element is cut") }
        defer { position += Int(length) }
        return UnsafeRawBufferPointer(start: base + position, count: Int(length))
    }

    /// The next element as text, `nil` where it is missing.
    public mutating func next(_ type: String.Type) throws(RowDamage) -> String? {
        guard let bytes = try nextBytes() else { return nil }
        return try RowView.string(bytes)
    }

    /// The next element as an `Int`, `nil` where it is missing.
    public mutating func next(_ type: Int.Type) throws(RowDamage) -> Int? {
        guard let bytes = try nextBytes() else { return nil }
        guard bytes.count == 8, let base = bytes.baseAddress else { throw RowDamage("an Int is not 8 bytes") }
        return Int(UnsafeRawPointer(base).load(0, as: Int64.self))
    }

    /// The next element as a `Float`, `nil` where it is missing.
    public mutating func next(_ type: Double.Type) throws(RowDamage) -> Double? {
        guard let bits = try next(Int.self) else { return nil }
        let value = Double(bitPattern: UInt64(bitPattern: Int64(bits)))
        guard value.isFinite else { throw RowDamage("a Float is not finite") }
        return value
    }

    /// The next element as a `Boolean`, `nil` where it is missing.
    public mutating func next(_ type: Bool.Type) throws(RowDamage) -> Bool? {
        guard let bytes = try nextBytes() else { return nil }
        guard bytes.count == 1, bytes[0] <= 1 else { throw RowDamage("a Boolean is not 0 or 1") }
        return bytes[0] == 1
    }

    /// The next element as an `AWSTimestamp`, `nil` where it is missing.
    public mutating func next(_ type: Temporal.Timestamp.Type) throws(RowDamage) -> Temporal.Timestamp? {
        try next(Int.self).map { Temporal.Timestamp(seconds: Int64($0)) }
    }

    /// The next element as a temporal, `nil` where it is missing.
    public mutating func next<Value: TemporalText>(_ type: Value.Type) throws(RowDamage) -> Value? {
        guard let bytes = try nextBytes() else { return nil }
        let temporal = try RowView.temporal(bytes)
        return Value(uncheckedText: temporal.text, instant: temporal.instant)
    }

    /// The next element as an embedded value that `body` reads, `nil` where it is missing.
    public mutating func nextEmbedded<Value>(
        _ body: (inout RowDecoder) throws(RowDamage) -> Value
    ) throws(RowDamage) -> Value? {
        guard let bytes = try nextBytes() else { return nil }
        guard let embedded else { preconditionFailure("the list holds no embedded values") }
        var nested = try RowDecoder(bytes, layout: embedded, depth: depth + 1)
        return try body(&nested)
    }

    /// The next element as a list that `body` reads, `nil` where it is missing.
    public mutating func nextList<Value>(
        _ body: (inout ListDecoder) throws(RowDamage) -> Value
    ) throws(RowDamage) -> Value? {
        guard let bytes = try nextBytes() else { return nil }
        var nested = try ListDecoder(bytes, embedded: embedded, depth: depth + 1)
        return try body(&nested)
    }
}
