extension FieldValue {
    /// The value of `field` in `row`, or `nil` if it is missing.
    @_spi(Adapters) public init?(_ row: RowView, field: FieldLayout) throws(RowDamage) {
        try self.init(row, field: field, depth: 0)
    }

    private init?(_ row: RowView, field: FieldLayout, depth: Int) throws(RowDamage) {
        guard let bytes = try row.value(field.slot) else { return nil }
        self = try FieldValue(
            bytes: bytes, kind: field.kind, type: field.type, embedded: field.embedded, depth: depth)
    }

    /// The value that `bytes` encode, at a nesting depth of `depth` embedded values and lists.
    ///
    /// Most kinds are decoded without `type` and `embedded`, which refer to other types, so these are evaluated only if needed.
    private init(
        bytes: UnsafeRawBufferPointer, kind: FieldLayout.Kind, type: @autoclosure () -> FieldType,
        embedded: @autoclosure () -> RowLayout?, depth: Int
    ) throws(RowDamage) {
        switch kind {
        case .id, .string, .enumeration: self = .string(try bytes.rowText())
        case .int, .timestamp: self = .int(try RowView.int(bytes))
        case .double: self = .double(try Double.decoded(from: bytes))
        case .bool: self = .bool(try Bool.decoded(from: bytes))
        case .date: self = .date(try Temporal.Date.decoded(from: bytes))
        case .time: self = .time(try Temporal.Time.decoded(from: bytes))
        case .dateTime: self = .dateTime(try Temporal.DateTime.decoded(from: bytes))
        case .embedded:
            guard let embedded = embedded() else { preconditionFailure("an embedded field has a layout") }
            try RowView.check(depth: depth + 1)
            let view = try RowView(bytes)
            var values: [String: FieldValue] = [:]
            for field in embedded.fields {
                values[field.name] = try FieldValue(view, field: field, depth: depth + 1)
            }
            self = .embedded(values)
        case .list:
            guard case .list(let element, _) = type() else { preconditionFailure("a list has elements of a type") }
            self = .list(try Self.elements(of: bytes, element, embedded(), depth: depth + 1))
        }
    }

    /// The elements of a list, at a nesting depth of `depth` embedded values and lists.
    private static func elements(
        of bytes: UnsafeRawBufferPointer, _ type: FieldType, _ embedded: RowLayout?, depth: Int
    ) throws(RowDamage) -> [FieldValue?] {
        try RowView.check(depth: depth)
        var list = try ListDecoder(bytes, embedded: embedded)
        let kind = FieldLayout.Kind(type)
        var values: [FieldValue?] = []
        values.reserveCapacity(list.count)
        for _ in 0..<list.count {
            guard let bytes = try list.nextBytes() else {
                values.append(nil)
                continue
            }
            values.append(try FieldValue(bytes: bytes, kind: kind, type: type, embedded: embedded, depth: depth))
        }
        return values
    }

    /// The same value in the type of `field`: for example, a whole number for a Float field, or a text for a temporal field.
    ///
    /// The result is `nil` if the value does not fit, because its type is wrong or a required element is missing. For an enum,
    /// any text fits, because the schema of another build may have that case.
    @_spi(Adapters) public func converted(to field: FieldLayout) -> FieldValue? {
        converted(to: field.type, embedded: field.embedded, depth: 0)
    }

    /// The same value in `type`, which is the type of `field` or of an element of its list.
    func converted(to type: FieldType, of field: FieldLayout) -> FieldValue? {
        converted(to: type, embedded: field.embedded, depth: 0)
    }

    private func converted(to type: FieldType, embedded: RowLayout?, depth: Int) -> FieldValue? {
        guard depth <= Limits.nestingDepth else { return nil }
        switch (type, self) {
        case (.id, .string), (.string, .string), (.enumeration, .string), (.int, .int), (.timestamp, .int),
            (.bool, .bool), (.date, .date), (.time, .time), (.dateTime, .dateTime):
            return self
        case (.double, .double(let number)): return number.isFinite ? .double(number == 0 ? 0 : number) : nil
        case (.double, .int(let number)): return Double(exactly: number).map { .double($0) }
        case (.date, .string(let text)): return (try? Temporal.Date(text)).map { .date($0) }
        case (.time, .string(let text)): return (try? Temporal.Time(text)).map { .time($0) }
        case (.dateTime, .string(let text)): return (try? Temporal.DateTime(text)).map { .dateTime($0) }
        case (.list(let element, let isRequired), .list(let values)):
            var converted: [FieldValue?] = []
            converted.reserveCapacity(values.count)
            for value in values {
                guard let value else {
                    if isRequired { return nil }
                    converted.append(nil)
                    continue
                }
                guard let value = value.converted(to: element, embedded: embedded, depth: depth + 1) else {
                    return nil
                }
                converted.append(value)
            }
            return .list(converted)
        case (.embedded, .embedded(let values)):
            guard let embedded, values.keys.allSatisfy({ embedded.field(named: $0) != nil }) else { return nil }
            var converted: [String: FieldValue] = [:]
            for field in embedded.fields {
                guard let value = values[field.name] else {
                    if field.schema.isRequired { return nil }
                    continue
                }
                guard let value = value.converted(to: field.type, embedded: field.embedded, depth: depth + 1) else {
                    return nil
                }
                converted[field.name] = value
            }
            return .embedded(converted)
        default: return nil
        }
    }
}
