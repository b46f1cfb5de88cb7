extension JSONReader {
    /// The next token; ``JSONToken/endOfText`` behind the document.
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

    /// Skips the value that is due, with all that is in it, checking it as reading would.
    ///
    /// - Throws: ``JSONError`` if the value is malformed or beyond a limit.
    public mutating func skipValue() throws(JSONError) {
        let outside = nesting.depth
        _ = try nextValue()
        while nesting.depth > outside { _ = try next() }
    }

    /// Reads the value that is due as its text, checked and unchanged. The slice lives as long as the reader's bytes.
    ///
    /// - Throws: as ``skipValue()``.
    public mutating func readRawValue() throws(JSONError) -> UnsafeRawBufferPointer {
        _ = try firstByteOfValue()
        let start = index
        try skipValue()
        return UnsafeRawBufferPointer(rebasing: bytes[start..<index])
    }
}
