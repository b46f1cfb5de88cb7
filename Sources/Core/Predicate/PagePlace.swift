/// The place at which a page of an ordered result ended, as opaque bytes.
///
/// The bytes are the values of the sorted fields in the last record of the page, as components of keys (FORMATS, section 5).
/// The record's key follows them. They have a meaning only together with the order of the query that made them.
package struct PagePlace: Sendable, Hashable {
    /// The bytes. They can leave the process and come back.
    package let bytes: [UInt8]

    /// The place with `bytes`, which nothing has checked yet.
    package init(bytes: [UInt8]) { self.bytes = bytes }

    /// The place of `record`, a record of `model` that was stored, in the order of `sort`.
    package init(of record: Record, in sort: Sort, model: ModelSchema) {
        let sorted = sort.keys.map { record[$0.field] }
        let key = model.primaryKey.map { name in
            (value: record[name], isID: model.field(named: name)?.type == .id)
        }
        bytes = Self.encoded(atMost: Self.room(for: sorted) + Self.room(for: key.map(\.value))) { encoder in
            for value in sorted { encoder.appendComponent(value) }
            for (value, isID) in key {
                if isID, case .string(var text)? = value {
                    text.withUTF8 { encoder.append(id: UnsafeRawBufferPointer($0)) }
                } else {
                    encoder.appendComponent(value)
                }
            }
        }
    }

    /// The place of the row with `key` in the order of `fields`.
    package init(of row: RowView, key: UnsafeRawBufferPointer, in fields: [FieldLayout]) throws(RowDamage) {
        var room = key.count
        for field in fields { room += 2 * (try row.value(field.slot)?.count ?? 0) + 16 }
        bytes = try [UInt8](unsafeUninitializedCapacity: room) { buffer, initializedCount throws(RowDamage) in
            var encoder = KeyEncoder(UnsafeMutableRawBufferPointer(buffer))
            for field in fields { try encoder.appendComponent(of: row, field: field) }
            encoder.append(raw: key)
            precondition(!encoder.isOverflowing, "the memory for a place is large enough")
            initializedCount = encoder.byteCount
        }
    }

    /// `values` as components of keys, one after the other. Different values give different bytes.
    package static func components(of values: [FieldValue]) -> [UInt8] {
        encoded(atMost: room(for: values)) { encoder in for value in values { encoder.appendComponent(value) } }
    }

    /// Whether the bytes are a place in the order of `sort` among the records of `model`.
    package func isPlace(in sort: Sort, of model: ModelSchema) -> Bool {
        let sorted = sort.keys.compactMap { model.field(named: $0.field)?.type }
        let key = model.primaryKey.compactMap { model.field(named: $0)?.type }
        guard sorted.count == sort.keys.count, key.count == model.primaryKey.count else { return false }
        return read(sorted, key) != nil
    }

    /// The values of the sorted fields and the key, or `nil` if the bytes are not a place of fields with these types.
    func read(_ sorted: [FieldType], _ key: [FieldType]) -> (values: [FieldValue?], key: [UInt8])? {
        try? bytes.withUnsafeBytes { bytes in
            var decoder = KeyDecoder(bytes)
            var values: [FieldValue?] = []
            for type in sorted {
                let value = try decoder.component(of: type)
                guard value?.isComponent(of: type) ?? true else { throw RowDamage("a component has another type") }
                values.append(value)
            }
            let keyBytes = Array(bytes[decoder.byteCount...])
            for type in key {
                guard let value = try decoder.component(of: type), value.isComponent(of: type) else {
                    throw RowDamage("a component of the key has another type")
                }
            }
            guard decoder.isAtEnd, keyBytes.count <= Limits.keyByteCount else {
                throw RowDamage("the key has more than its fields")
            }
            return (values, keyBytes)
        }
    }

    /// A number of bytes in which the components of `values` fit.
    private static func room(for values: [FieldValue?]) -> Int {
        values.reduce(0) { room, value in
            // U+0000 takes two bytes, and every component has a tag.
            if case .string(let text)? = value { return room + 2 * text.utf8.count + 2 }
            return room + 16
        }
    }

    private static func encoded(atMost byteCount: Int, _ body: (inout KeyEncoder) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, initializedCount in
            var encoder = KeyEncoder(UnsafeMutableRawBufferPointer(buffer))
            body(&encoder)
            precondition(!encoder.isOverflowing, "the memory for a place is large enough")
            initializedCount = encoder.byteCount
        }
    }
}

extension FieldValue {
    /// Whether a field of `type` can have this value as a component of a key.
    fileprivate func isComponent(of type: FieldType) -> Bool {
        switch (type, self) {
        case (.id, .string), (.string, .string), (.enumeration, .string), (.int, .int), (.timestamp, .int),
            (.double, .double), (.bool, .bool), (.date, .date), (.time, .time), (.dateTime, .dateTime):
            true
        default: false
        }
    }
}
