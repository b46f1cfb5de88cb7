@_spi(Adapters) internal import TidelogCore

/// The exact range of encoded values of one field for which a comparison holds.
enum ValueRange {
    enum Relation {
        case equal, less, lessOrEqual, greater, greaterOrEqual
    }

    /// The components of `field` for which `comparison` holds, or `nil` if they are not a range.
    static func range(of field: FieldLayout, _ comparison: QueryPredicate.Comparison) -> KeyRange? {
        guard field.type.isOrdered else { return nil }
        switch comparison {
        case .equal(nil): return .only(encoded(nil))
        case .notEqual(nil): return .present
        case .equal(let value?): return range(of: field, .equal, value)
        case .less(let value): return range(of: field, .less, value)
        case .lessOrEqual(let value): return range(of: field, .lessOrEqual, value)
        case .greater(let value): return range(of: field, .greater, value)
        case .greaterOrEqual(let value): return range(of: field, .greaterOrEqual, value)
        case .between(let lower, let upper):
            guard let from = range(of: field, .greaterOrEqual, lower), let to = range(of: field, .lessOrEqual, upper)
            else { return nil }
            return from.intersection(to)
        case .beginsWith(var prefix):
            guard field.type.isText else { return nil }
            let lower = prefix.withUTF8 { text in
                encoded(atMost: 1 + 2 * text.count) { $0.appendUnterminated(text: UnsafeRawBufferPointer(text)) }
            }
            return KeyRange(lower: lower, upper: KeyRange.successor(ofPrefix: lower))
        case .notEqual, .endsWith, .ignoringCase, .contains, .notContains: return nil
        }
    }

    private static func range(of field: FieldLayout, _ relation: Relation, _ value: FieldValue) -> KeyRange? {
        guard let value = QueryPredicate.constant(value, for: field.type, field: field) else { return nil }
        switch (field.type, value) {
        case (.double, .int(let number)): return range(relation, ofDoublesWith: number)
        case (.int, .double(let number)), (.timestamp, .double(let number)):
            return range(relation, ofIntsWith: number)
        default: return .values(relation, encoded(value))
        }
    }

    /// The whole numbers that have the `relation` to the finite `number`.
    private static func range(_ relation: Relation, ofIntsWith number: Double) -> KeyRange {
        let floor = number.rounded(.down)
        if floor >= 0x1p63 { return relation == .less || relation == .lessOrEqual ? .present : .none }
        if floor < -0x1p63 { return relation == .greater || relation == .greaterOrEqual ? .present : .none }
        let isWhole = floor == number
        let component = encoded(.int(Int64(floor)))
        switch relation {
        case .equal: return isWhole ? .only(component) : .none
        case .less: return .values(isWhole ? .less : .lessOrEqual, component)
        case .lessOrEqual, .greater: return .values(relation, component)
        case .greaterOrEqual: return .values(isWhole ? .greaterOrEqual : .greater, component)
        }
    }

    /// The floating-point numbers that have the `relation` to `number`. `number` may have no exact equal among them.
    private static func range(_ relation: Relation, ofDoublesWith number: Int64) -> KeyRange {
        let nearest = Double(number)
        let component = encoded(.double(nearest))
        if let whole = Int64(exactly: nearest), whole == number { return .values(relation, component) }
        let isAbove = nearest >= 0x1p63 || Int64(nearest) > number
        switch relation {
        case .equal: return .none
        case .less, .lessOrEqual: return .values(isAbove ? .less : .lessOrEqual, component)
        case .greater, .greaterOrEqual: return .values(isAbove ? .greaterOrEqual : .greater, component)
        }
    }

    /// The component for `value` in index keys.
    static func encoded(_ value: FieldValue?) -> [UInt8] {
        var byteCount = 13
        if case .string(let text)? = value { byteCount = 2 + 2 * text.utf8.count }
        return encoded(atMost: byteCount) { $0.appendComponent(value) }
    }

    /// The component for an `ID` in primary keys.
    static func encoded(id: String) -> [UInt8] {
        var id = id
        return id.withUTF8 { text in
            encoded(atMost: 17 + 2 * text.count) { $0.append(id: UnsafeRawBufferPointer(text)) }
        }
    }

    private static func encoded(atMost byteCount: Int, _ body: (inout KeyEncoder) -> Void) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: byteCount, alignment: 8) { buffer in
            var encoder = KeyEncoder(buffer)
            body(&encoder)
            return Array(encoder.bytes)
        }
    }
}
