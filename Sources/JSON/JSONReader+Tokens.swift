extension JSONReader {
    /// The next token; ``JSONToken/endOfText`` after the document.
    ///
    /// - Throws: ``JSONError`` if the text is malformed or beyond a limit.
    public mutating func next() throws(JSONError) -> JSONToken {
        switch expectation {
        case .value, .refusal: return try nextValue()
        case .end:
            try expectEnd()
            return .endOfText
        case .first, .following:
            if nesting.isInObject {
                guard let key = try nextKey() else { return .endObject }
                return .key(key)
            }
            return try nextElement() ? nextValue() : .endArray
        }
    }

    private mutating func nextValue() throws(JSONError) -> JSONToken {
        switch try peekKind() {
        case .object:
            try beginObject()
            return .beginObject
        case .array:
            try beginArray()
            return .beginArray
        case .string: return try .string(readStringSlice())
        case .number: return try .number(readNumber())
        case .bool: return try .bool(readBool())
        case .null:
            try readNull()
            return .null
        }
    }

    /// Skips the next value with its contents. The reader checks them as it does when reading.
    ///
    /// - Throws: ``JSONError`` if the value is malformed or beyond a limit.
    public mutating func skipValue() throws(JSONError) {
        let outside = nesting.depth
        _ = try nextValue()
        while nesting.depth > outside { _ = try next() }
    }

    /// Reads the next value as its text, which is checked and unchanged. The slice is valid as long as the reader's bytes.
    ///
    /// - Throws: The errors of ``skipValue()``.
    public mutating func readRawValue() throws(JSONError) -> UnsafeRawBufferPointer {
        _ = try firstByteOfValue()
        let start = index
        try skipValue()
        return UnsafeRawBufferPointer(rebasing: bytes[start..<index])
    }
}
