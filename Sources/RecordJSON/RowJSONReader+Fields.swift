@_spi(Adapters) internal import TidelogCore
internal import TidelogJSON
internal import TidelogSuggestion

extension RowJSONReader {
    /// Checks the object at the reader's position, which is the value of `owner`. Notes in new places where each field's value
    /// begins.
    mutating func locateFields(
        _ reader: inout JSONReader, _ shape: ObjectShape, of owner: FieldShape?
    ) throws(RecordJSONError) {
        let base = places.count
        for _ in shape.fields.indices { places.append(nil) }
        var expected = 0
        try reading(owner) { () throws(JSONError) in try reader.beginObject() }
        while let key = try reading(owner, { () throws(JSONError) in try reader.nextKey() }) {
            guard let ordinal = shape.ordinal(of: key, expected: expected) else {
                if readsServerObject {
                    try takeUndeclared(key, of: owner, from: &reader)
                    continue
                }
                throw RecordJSONError(
                    .unknownField, "\(shape.name) has no field \(Self.named(key, among: shape))",
                    at: reader.position(of: key), model: layout.name, field: owner?.path)
            }
            guard places[base + ordinal] == nil else {
                throw RecordJSONError(
                    .duplicateField, "the field is given twice", at: reader.position(of: key), model: layout.name,
                    field: shape.fields[ordinal].path)
            }
            places[base + ordinal] = reader
            try reading(shape.fields[ordinal]) { () throws(JSONError) in try reader.skipValue() }
            expected = ordinal + 1
        }
    }

    /// Encodes the fields that were located last, in the order of their declaration, and removes their places.
    mutating func encodeFields(
        _ shape: ObjectShape, of object: JSONReader, keeping kept: [UnsafeRawBufferPointer?]?,
        into row: inout RowEncoder, depth: Int
    ) throws(RecordJSONError) {
        let base = places.count - shape.fields.count
        let isCleared = kept != nil || readsServerObject
        for ordinal in shape.fields.indices {
            let field = shape.fields[ordinal]
            guard var value = places[base + ordinal] else {
                if let kept, let bytes = kept[ordinal] {
                    row.encode(bytes: bytes)
                } else {
                    try encodeMissing(field, at: object, isCleared: isCleared, into: &row)
                }
                continue
            }
            if try reading(field, { () throws(JSONError) in try value.peekKind() }) == .null {
                try encodeMissing(field, at: value, isCleared: isCleared, into: &row)
            } else {
                try encode(&value, field.type, field, into: &row, depth: depth)
            }
        }
        places.removeLast(shape.fields.count)
    }

    /// Encodes the default of `field`. Encodes a missing value if there is no default, or if an optional value was cleared.
    private func encodeMissing(
        _ field: FieldShape, at place: JSONReader, isCleared: Bool, into row: inout RowEncoder
    ) throws(RecordJSONError) {
        let isRequired = field.layout.schema.isRequired
        if let value = field.layout.schema.defaultValue?.converted(to: field.layout), isRequired || !isCleared {
            row.encode(value)
        } else if isRequired {
            throw failure(.missingField, "the field is required and has no value", at: place, field)
        } else {
            row.encodeMissing()
        }
    }

    /// The key for a message. The message contains the key only if it could be a field's name and is not longer than one.
    private static func named(_ key: JSONStringSlice, among shape: ObjectShape) -> String {
        let isName = key.rawBytes.allSatisfy { byte in
            byte == UInt8(ascii: "_") || (48...57).contains(byte) || (97...122).contains(byte | 32)
        }
        guard isName, (1...Limits.nameByteCount).contains(key.rawBytes.count) else { return "with that name" }
        let guess = Suggestion.didYouMean(key.string, among: shape.fields.map(\.layout.name))
        return "\"\(key.string)\"" + (guess.map { " (\($0))" } ?? "")
    }
}

// MARK: - Failures

extension RowJSONReader {
    /// Calls `body`, and adds the name of `field` to its error.
    @inline(__always)
    func reading<Value>(
        _ field: FieldShape?, _ body: () throws(JSONError) -> Value
    ) throws(RecordJSONError) -> Value {
        do {
            return try body()
        } catch {
            throw RecordJSONError(error, model: layout.name, field: field?.path)
        }
    }

    /// Makes the failure of a row that is too large. Its place is the value of the field that the refusal names.
    mutating func failure(_ refusal: RowRefusal, in object: JSONReader) -> RecordJSONError {
        places.removeAll()
        var again = object
        try? locateFields(&again, shapes[0], of: nil)
        let place = places.indices.contains(refusal.ordinal) ? places[refusal.ordinal] : nil
        return failure(.tooLarge, refusal.reason, at: place ?? object, shapes[0].fields[refusal.ordinal])
    }

    /// Makes the failure of the value that begins at `place`.
    func failure(
        _ code: RecordJSONError.Code, _ message: String, at place: JSONReader, _ field: FieldShape?
    ) -> RecordJSONError {
        var place = place
        _ = try? place.peekKind()
        return RecordJSONError(code, message, at: place.position, model: layout.name, field: field?.path)
    }
}
