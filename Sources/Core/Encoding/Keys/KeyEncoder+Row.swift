extension KeyEncoder {
    /// Appends the primary key of `row`.
    @inline(__always)
    public mutating func appendPrimaryKey(of row: RowView, layout: ModelLayout) throws(RowDamage) {
        for field in layout.keyFields {
            if field.kind == .id {
                guard let text = try row.value(field.slot) else { throw RowDamage("a key field is missing") }
                append(id: text)
            } else {
                try appendComponent(of: row, field: field)
            }
        }
    }

    /// Appends the value of `field` in `row` as a component of an index key or sort key.
    @inline(__always)
    public mutating func appendComponent(of row: RowView, field: FieldLayout) throws(RowDamage) {
        guard let value = try row.value(field.slot) else { return appendMissing() }
        switch field.kind {
        case .id, .string, .enumeration: append(text: value)
        case .int, .timestamp: append(try row.int(field.slot) ?? 0)
        case .double: append(try row.double(field.slot) ?? 0)
        case .bool: append(try row.bool(field.slot) ?? false)
        case .date, .time, .dateTime: append(try RowView.instant(value))
        case .embedded, .list: preconditionFailure("only ordered fields are parts of keys")
        }
    }

    /// Appends `value`, which has the field's type, as a component of an index key.
    public mutating func appendComponent(_ value: FieldValue?) {
        switch value {
        case nil: appendMissing()
        case .string(var text)?: text.withUTF8 { append(text: UnsafeRawBufferPointer($0)) }
        case .int(let number)?: append(number)
        case .double(let number)?: append(number)
        case .bool(let flag)?: append(flag)
        case .date(let date)?: append(date.instant)
        case .time(let time)?: append(time.instant)
        case .dateTime(let dateTime)?: append(dateTime.instant)
        case .embedded?, .list?: preconditionFailure("only ordered fields are parts of keys")
        }
    }
}

extension ModelLayout {
    /// Calls `body` with the encoded primary key of `id`.
    ///
    /// - Throws: ``DataStoreError`` with code `invalidValue` if `id` does not fit the model's key or is too long, and any error
    ///   of `body`.
    public func withKey<Result>(of id: RecordID, _ body: (UnsafeRawBufferPointer) throws -> Result) throws -> Result {
        guard id.components.count == keyFields.count else {
            let count = id.components.count
            let values = count == 1 ? "1 value" : "\(count) values"
            throw invalidID(id, "it has \(values), and the key has \(keyFields.count)")
        }
        return try withUnsafeTemporaryAllocation(byteCount: Limits.keyByteCount, alignment: 8) { buffer in
            var encoder = KeyEncoder(buffer)
            for (component, field) in zip(id.components, keyFields) {
                guard let value = component.converted(to: field) else {
                    throw invalidID(id, "the value for \(field.name) has another type")
                }
                if case .id = field.type, case .string(var text) = value {
                    text.withUTF8 { encoder.append(id: UnsafeRawBufferPointer($0)) }
                } else {
                    encoder.appendComponent(value)
                }
            }
            guard !encoder.isOverflowing else {
                throw invalidID(id, ModelLayout.longKey)
            }
            return try body(encoder.bytes)
        }
    }

    /// The id that consists of the primary key fields of `row`.
    public func recordID(of row: RowView) throws(RowDamage) -> RecordID {
        var components: [FieldValue] = []
        components.reserveCapacity(keyFields.count)
        for field in keyFields {
            guard let value = try FieldValue(row, field: field) else { throw RowDamage("a key field is missing") }
            components.append(value)
        }
        return RecordID(components)
    }

    private func invalidID(_ id: RecordID, _ reason: String) -> DataStoreError {
        DataStoreError(
            .invalidValue, "The id does not fit the model \(name): \(reason).", model: name, recordID: id,
            recovery: "Give one value for each key field: \(keyFields.map(\.name).joined(separator: ", ")).")
    }
}
