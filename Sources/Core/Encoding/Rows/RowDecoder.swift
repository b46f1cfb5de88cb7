/// Reads one row, field after field in declaration order.
///
/// The methods that generated code calls for each field are inlined. The bounds of every value are checked against the row's.
public struct RowDecoder {
    @usableFromInline let view: RowView
    /// The number of fields that can be read in order with two-byte ends.
    ///
    /// It is 0 if the row is wide, or if its slots are in a different order than the fields.
    @usableFromInline let directCount: Int
    @usableFromInline var ordinal = 0
    /// The end of the previous slot, while fields are read in order.
    @usableFromInline var position: Int
    let plan: UnsafePointer<RowLayout.Plan>
    let depth: Int
    /// The reference is unmanaged, so that models without relations do not pay for it. The caller keeps the source alive while
    /// it reads the row.
    private let unmanagedSource: Unmanaged<AnyObject>?
    /// The layout, if no caller is certain to keep it alive.
    private let layout: RowLayout?

    /// A decoder of `view`, whose fields have the given `layout`.
    @_spi(Adapters) public init(_ view: RowView, layout: RowLayout) {
        self.init(view, plan: layout.plan, depth: 0, source: nil, keeping: layout)
    }

    /// A decoder of `view`, which was read from `source`. The caller keeps `layout` and `source` alive while it uses the
    /// decoder.
    @inline(__always)
    init(_ view: RowView, borrowing layout: RowLayout, source: AnyObject?) {
        self.init(
            view, plan: layout.plan, depth: 0, source: source.map { Unmanaged.passUnretained($0) }, keeping: nil)
    }

    /// A decoder of an embedded value's `bytes`, at a nesting depth of `depth` embedded values and lists.
    ///
    /// It must not outlive the decoder of the row, whose layout keeps `layout` alive.
    init(_ bytes: UnsafeRawBufferPointer, layout: RowLayout, depth: Int) throws(RowDamage) {
        try RowView.check(depth: depth)
        self.init(try RowView(bytes), plan: layout.plan, depth: depth, source: nil, keeping: nil)
    }

    @inline(__always)
    private init(
        _ view: RowView, plan: UnsafePointer<RowLayout.Plan>, depth: Int, source: Unmanaged<AnyObject>?,
        keeping layout: RowLayout?
    ) {
        self.view = view
        position = view.valuesOffset
        directCount = plan.pointee.isSequential && !view.isWide ? min(view.slotCount, plan.pointee.fieldCount) : 0
        self.plan = plan
        self.depth = depth
        unmanagedSource = source
        self.layout = layout
    }

    /// The source of the row, from which the record's relations can be read later, or `nil` if there is none.
    var source: AnyObject? { unmanagedSource?.takeUnretainedValue() }

    /// Reads the bytes of the next field, or `nil` if it is missing.
    @inlinable
    @inline(__always)
    mutating func next() throws(RowDamage) -> UnsafeRawBufferPointer? {
        let slot = ordinal
        guard slot < directCount else { return try nextSlowly() }
        ordinal = slot &+ 1
        let start = position
        let end = Int(
            UInt16(
                littleEndian: view.base.loadUnaligned(fromByteOffset: view.tableOffset &+ slot &* 2, as: UInt16.self)))
        position = end
        // The presence bits follow the version and the number of slots.
        let presence = view.base.loadUnaligned(fromByteOffset: 4 &+ slot >> 3, as: UInt8.self)
        guard presence & 1 << UInt8(truncatingIfNeeded: slot & 7) != 0 else { return nil }
        guard start <= end, end <= view.byteCount else { throw RowView.damage("value beyond end") }
        return UnsafeRawBufferPointer(start: view.base + start, count: end &- start)
    }

    /// Like ``next()``, for a row that is wide, has its slots in another order, or does not have the field.
    @usableFromInline
    @inline(never)
    mutating func nextSlowly() throws(RowDamage) -> UnsafeRawBufferPointer? {
        precondition(ordinal < plan.pointee.fieldCount, "a model decodes as many values as it has fields")
        defer { ordinal += 1 }
        return try view.value(plan.pointee.slot(ordinal))
    }

    @usableFromInline
    @inline(never)
    func missing() -> RowDamage { RowDamage("the required field \(field.name) is missing") }

    /// The field that was read last.
    var field: FieldLayout { plan.pointee.layout.fields[ordinal - 1] }

    /// Reads the next field, a text, number, truth value or temporal, or `nil` if it is missing.
    @inlinable
    @inline(__always)
    public mutating func decodeIfPresent<Value: StoredFieldValue>(_ type: Value.Type) throws(RowDamage) -> Value? {
        guard let bytes = try next() else { return nil }
        return try Value.decoded(from: bytes)
    }

    /// Reads the next field, a required text, number, truth value or temporal.
    @inlinable
    @inline(__always)
    public mutating func decode<Value: StoredFieldValue>(_ type: Value.Type) throws(RowDamage) -> Value {
        guard let bytes = try next() else { throw missing() }
        return try Value.decoded(from: bytes)
    }

    // MARK: Embedded values and lists

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
