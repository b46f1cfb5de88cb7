extension JSONReader {
    /// Enters an object.
    ///
    /// - Throws: ``JSONError``: `wrongKind` if the value is not an object, `tooDeep` beyond the limit.
    public mutating func beginObject() throws(JSONError) {
        let byte = try firstByteOfValue()
        guard byte == UInt8(ascii: "{") else { throw mismatch(expected: .object, found: byte) }
        try open(isObject: true)
    }

    /// The next key of the innermost open object. The caller must read or skip the key's value next. At the end of the object,
    /// the method closes the object and returns `nil`.
    ///
    /// - Precondition: The innermost open container is an object, and the value of the last key has been consumed.
    /// - Throws: ``JSONError`` if the text is malformed.
    public mutating func nextKey() throws(JSONError) -> JSONStringSlice? {
        precondition(nesting.isInObject && expectation != .value, "nextKey() belongs after a member of an object")
        var byte = try significantByte()
        if byte == UInt8(ascii: "}") {
            close()
            return nil
        }
        if expectation == .following { byte = try byteBehindComma(byte) }
        guard byte == UInt8(ascii: "\"") else { throw failure(.unexpectedByte(byte), at: index) }
        let key = try scanString()
        let colon = try significantByte()
        guard colon == UInt8(ascii: ":") else { throw failure(.unexpectedByte(colon), at: index) }
        index &+= 1
        expectation = .value
        return key
    }

    /// Enters an array.
    ///
    /// - Throws: ``JSONError``: `wrongKind` if the value is not an array, `tooDeep` beyond the limit.
    public mutating func beginArray() throws(JSONError) {
        let byte = try firstByteOfValue()
        guard byte == UInt8(ascii: "[") else { throw mismatch(expected: .array, found: byte) }
        try open(isObject: false)
    }

    /// Whether the innermost open array has another element. If so, the caller must read or skip the element next. At the end
    /// of the array, the method closes the array and returns false.
    ///
    /// - Precondition: The innermost open container is an array, and the last element has been consumed.
    /// - Throws: ``JSONError`` if the text is malformed.
    public mutating func nextElement() throws(JSONError) -> Bool {
        precondition(nesting.isInArray && expectation != .value, "nextElement() belongs after an element of an array")
        var byte = try significantByte()
        if byte == UInt8(ascii: "]") {
            close()
            return false
        }
        if expectation == .following { byte = try byteBehindComma(byte) }
        guard JSONKind(startingWith: byte) != nil else { throw failure(.unexpectedByte(byte), at: index) }
        expectation = .value
        return true
    }

    private mutating func open(isObject: Bool) throws(JSONError) {
        guard nesting.depth < limits.maximumDepth else {
            throw failure(.tooDeep(limit: limits.maximumDepth), at: index)
        }
        nesting.push(isObject: isObject)
        index &+= 1
        expectation = .first
    }

    private mutating func close() {
        nesting.pop()
        index &+= 1
        finishValue()
    }

    @inline(__always)
    private mutating func byteBehindComma(_ byte: UInt8) throws(JSONError) -> UInt8 {
        guard byte == UInt8(ascii: ",") else { throw failure(.unexpectedByte(byte), at: index) }
        index &+= 1
        return try significantByte()
    }
}
