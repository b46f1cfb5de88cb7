@_spi(Adapters) internal import TidelogCore

/// The bounds that a conjunction sets for the primary key: the exact key, or a range that contains all matching keys.
struct KeyBounds {
    /// The only key that can match, if all key fields have a value.
    private(set) var key: [UInt8]?
    /// All matching keys are equal to or after this key.
    private(set) var lower: [UInt8]?
    /// All matching keys are before this key.
    private(set) var upper: [UInt8]?

    /// The bounds that follow from `conjuncts`, all of which must hold.
    ///
    /// - Parameter idGroup: The group of all IDs in the table, if known.
    init(_ conjuncts: [QueryPredicate], model: ModelLayout, idGroup: IDKeyGroup? = nil) {
        var prefix: [UInt8] = []
        for field in model.keyFields {
            let comparisons = conjuncts.lazy.compactMap { conjunct -> QueryPredicate.Comparison? in
                guard case .field(field.name, let comparison) = conjunct else { return nil }
                return comparison
            }
            let given = comparisons.compactMap { comparison -> [UInt8]? in
                guard case .equal(let value?) = comparison else { return nil }
                return Self.component(value, of: field)
            }.first
            guard let given else {
                for comparison in comparisons { narrow(prefix, comparison, of: field, idGroup) }
                break
            }
            prefix += given
            if field.ordinal == model.keyFields.last?.ordinal { key = prefix }
        }
        guard !prefix.isEmpty else { return }
        lower = lower ?? prefix
        upper = upper ?? Self.successor(of: prefix)
    }

    /// Narrows the bounds to keys with `prefix` whose next component, which is of `field`, satisfies `comparison`.
    ///
    /// IDs are in the order of their texts only inside their group.
    private mutating func narrow(
        _ prefix: [UInt8], _ comparison: QueryPredicate.Comparison, of field: FieldLayout, _ idGroup: IDKeyGroup?
    ) {
        if field.kind == .id {
            guard prefix.isEmpty, let keys = idGroup?.keys(comparison) else { return }
            if lower.map({ $0.lexicographicallyPrecedes(keys.lower) }) ?? true { lower = keys.lower }
            if upper.map({ keys.upper.lexicographicallyPrecedes($0) }) ?? true { upper = keys.upper }
            return
        }
        func begin(_ value: FieldValue) {
            guard let bytes = Self.component(value, of: field).map({ prefix + $0 }) else { return }
            if lower.map({ $0.lexicographicallyPrecedes(bytes) }) ?? true { lower = bytes }
        }
        func end(_ value: FieldValue) {
            guard let component = Self.component(value, of: field) else { return }
            guard let bytes = Self.successor(of: prefix + component) else { return }
            if upper.map({ bytes.lexicographicallyPrecedes($0) }) ?? true { upper = bytes }
        }
        switch comparison {
        case .less(let value), .lessOrEqual(let value): end(value)
        case .greater(let value), .greaterOrEqual(let value): begin(value)
        case .between(let low, let high):
            begin(low)
            end(high)
        case .beginsWith(let text):
            let bytes = prefix + Self.unterminated(text)
            if lower.map({ $0.lexicographicallyPrecedes(bytes) }) ?? true { lower = bytes }
            guard let after = Self.successor(of: bytes) else { return }
            if upper.map({ after.lexicographicallyPrecedes($0) }) ?? true { upper = after }
        default: return
        }
    }

    /// The component of `value`, or `nil` if it is not exactly a value of the field's type.
    private static func component(_ value: FieldValue, of field: FieldLayout) -> [UInt8]? {
        guard let value = value.converted(to: field) else { return nil }
        return encoded(room: value.room) { encoder in
            if case .id = field.type, case .string(var text) = value {
                text.withUTF8 { encoder.append(id: UnsafeRawBufferPointer($0)) }
            } else {
                encoder.appendComponent(value)
            }
        }
    }

    private static func unterminated(_ text: String) -> [UInt8] {
        encoded(room: FieldValue.string(text).room) { encoder in
            var text = text
            text.withUTF8 { encoder.appendUnterminated(text: UnsafeRawBufferPointer($0)) }
        }
    }

    private static func encoded(room: Int, _ body: (inout KeyEncoder) -> Void) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: room, alignment: 8) { buffer in
            var encoder = KeyEncoder(buffer)
            body(&encoder)
            assert(!encoder.isOverflowing, "there is room for every byte twice")
            return Array(encoder.bytes)
        }
    }

    /// The smallest bytes after all bytes that begin with `bytes`.
    private static func successor(of bytes: [UInt8]) -> [UInt8]? {
        var bytes = bytes
        while let last = bytes.popLast() {
            if last < 0xFF { return bytes + [last + 1] }
        }
        return nil
    }
}

extension FieldValue {
    /// A number of bytes that is larger than any component of the value.
    fileprivate var room: Int {
        if case .string(let text) = self { return 2 * text.utf8.count + 32 }
        return 32
    }
}
