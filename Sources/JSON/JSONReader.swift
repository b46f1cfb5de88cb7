/// A streaming, validating reader of one JSON text (RFC 8259) in UTF-8.
///
/// The caller asks for the values that it expects, and stores them directly in typed fields:
///
/// ```swift
/// try reader.beginObject()
/// while let key = try reader.nextKey() {
///     switch key {
///     case "id": id = try reader.readString()
///     case "rank": rank = try reader.readNullIfPresent() ? nil : reader.readInt64()
///     default: try reader.skipValue()
///     }
/// }
/// try reader.expectEnd()
/// ```
///
/// ``next()`` returns the same text as tokens, for callers that do not know the structure. Both styles may be mixed.
///
/// After `wrongKind`, `notAnInteger`, `integerOutOfRange` and `doubleOutOfRange`, the value has not been consumed. It may be
/// read in another way or skipped. After any other error, the reader must not be used again. A copy of a reader reads
/// independently, which is the way to look ahead. Repeated keys are returned like all other keys. The caller decides whether
/// they are an error. The reader allocates nothing except the requested strings and buffers.
public struct JSONReader {
    enum Expectation {
        /// A value: the value of the document, the value after a key, or an array's element.
        case value
        /// The first member or the closing bracket, after an opening bracket.
        case first
        /// A comma or the closing bracket, after a member.
        case following
        /// The end of the text, after the document's value.
        case end
        /// Nothing, because the document is longer than its limit.
        case refusal
    }

    /// Sound because the caller of `init` keeps the bytes alive and unchanged, and every read is below `count`.
    let bytes: UnsafeRawBufferPointer
    let limits: JSONLimits
    let origin: JSONPosition
    var index = 0
    var expectation: Expectation
    var nesting = JSONNesting()

    /// Makes a reader of `bytes`. The bytes must stay alive and unchanged while the reader and its slices are used.
    ///
    /// - Parameters:
    ///   - bytes: One JSON text.
    ///   - limits: The limits of the text.
    ///   - origin: The position of the first byte in a larger text, for the positions of errors.
    public init(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits(), origin: JSONPosition = .start) {
        self.bytes = bytes
        self.limits = limits
        self.origin = origin
        expectation = bytes.count <= limits.maximumBytes ? .value : .refusal
    }

    /// Runs `body` with a reader of `bytes`. Neither the reader nor its slices may leave `body`.
    ///
    /// - Throws: The errors of `body`.
    public static func read<Result, Failure: Error>(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits(), origin: JSONPosition = .start,
        _ body: (inout JSONReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) -> Result in
            var reader = JSONReader(UnsafeRawBufferPointer(buffer), limits: limits, origin: origin)
            return try body(&reader)
        }
    }

    /// The number of bytes that were consumed so far.
    public var byteOffset: Int { index }

    /// The number of objects and arrays that are open.
    public var depth: Int { nesting.depth }

    /// The reader's position. The property counts lines from the start of the text, so it is for messages only.
    public var position: JSONPosition { position(at: index) }

    /// The position of the string or key `slice`, at its opening quote. The method counts lines from the start of the text, so
    /// it is for messages only.
    ///
    /// - Precondition: The slice comes from this reader, or from a reader that is a copy or the original of this one.
    public func position(of slice: JSONStringSlice) -> JSONPosition {
        guard let base = bytes.baseAddress, let start = slice.rawBytes.baseAddress else { return position }
        let offset = start - base
        precondition((1...bytes.count).contains(offset), "the slice is one of this reader's text")
        return position(at: offset - 1)
    }

    /// Checks that nothing but whitespace follows the document's value.
    ///
    /// - Throws: `trailingByte` if anything but whitespace follows.
    public mutating func expectEnd() throws(JSONError) {
        if expectation == .refusal { throw failure(.documentTooLong(limit: limits.maximumBytes), at: 0) }
        precondition(expectation == .end, "the document's value has not been read to its end")
        skipWhitespace()
        guard index == bytes.count else { throw failure(.trailingByte(bytes[index]), at: index) }
    }
}

// MARK: - Shared by the other files

extension JSONReader {
    @inline(__always)
    mutating func skipWhitespace() {
        while index < bytes.count, bytes[index].isJSONWhitespace { index &+= 1 }
    }

    /// Skips whitespace and returns the byte after it, which is not consumed.
    @inline(__always)
    mutating func significantByte() throws(JSONError) -> UInt8 {
        skipWhitespace()
        guard index < bytes.count else { throw failure(.unexpectedEnd, at: bytes.count) }
        return bytes[index]
    }

    /// The first byte of the next value, which is not consumed.
    @inline(__always)
    mutating func firstByteOfValue() throws(JSONError) -> UInt8 {
        if expectation != .value { try refuseValue() }
        return try significantByte()
    }

    /// Records that a value has been consumed.
    @inline(__always)
    mutating func finishValue() { expectation = nesting.depth == 0 ? .end : .following }

    @inline(never)
    private func refuseValue() throws(JSONError) {
        precondition(expectation == .refusal, "no value is due here: call nextKey(), nextElement() or expectEnd()")
        throw failure(.documentTooLong(limit: limits.maximumBytes), at: 0)
    }

    /// The error for a value that is not of the kind `expected`, or for a missing value.
    @inline(never)
    func mismatch(expected: JSONKind, found byte: UInt8) -> JSONError {
        guard let found = JSONKind(startingWith: byte) else { return failure(.unexpectedByte(byte), at: index) }
        return failure(.wrongKind(expected: expected, found: found), at: index)
    }

    @inline(never)
    func failure(_ code: JSONError.Code, at index: Int) -> JSONError {
        JSONError(code, at: position(at: index))
    }

    private func position(at index: Int) -> JSONPosition {
        var line = origin.line
        var lineStart = 1 - origin.column
        var lineFeed = bytes.indexOfLineFeed(from: 0)
        while lineFeed < index {
            line += 1
            lineStart = lineFeed + 1
            lineFeed = bytes.indexOfLineFeed(from: lineStart)
        }
        return JSONPosition(byteOffset: origin.byteOffset + index, line: line, column: index - lineStart + 1)
    }
}

// MARK: - Tokens

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

// MARK: - Objects and arrays

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
