/// A streaming, validating reader of one JSON text (RFC 8259) in UTF-8.
///
/// It pulls: the caller asks for what it expects, and values go straight into typed fields.
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
/// ``next()`` gives the same text as tokens, for those who expect nothing. Both may be mixed.
///
/// After `wrongKind`, `notAnInteger`, `integerOutOfRange` and `doubleOutOfRange` the value has not been consumed and
/// may be read otherwise or skipped. After any other error the reader is of no further use. A copy of a reader reads on
/// by itself, which is how to look ahead. Repeated keys are reported as they come; whether they are an error is for the
/// caller to say. Nothing is allocated but the strings and buffers asked for.
public struct JSONReader {
    enum Expectation {
        /// A value: of the document, behind a key, or an array's element.
        case value
        /// Behind an opening bracket: the first member or the closing bracket.
        case first
        /// Behind a member: a comma or the closing bracket.
        case following
        /// Behind the document's value.
        case end
        /// Nothing: the document is longer than its limit.
        case refusal
    }

    /// Sound: the caller of `init` keeps these bytes alive and unchanged, and every read is below `count`.
    let bytes: UnsafeRawBufferPointer
    let limits: JSONLimits
    let origin: JSONPosition
    var index = 0
    var expectation: Expectation
    var nesting = JSONNesting()

    /// A reader of `bytes`, which must stay alive and unchanged while the reader and its slices are used.
    ///
    /// - Parameters:
    ///   - bytes: one JSON text.
    ///   - limits: what is refused for its size.
    ///   - origin: Where the first byte stands in a larger text, for error positions.
    public init(_ bytes: UnsafeRawBufferPointer, limits: JSONLimits = JSONLimits(), origin: JSONPosition = .start) {
        self.bytes = bytes
        self.limits = limits
        self.origin = origin
        expectation = bytes.count <= limits.maximumBytes ? .value : .refusal
    }

    /// Runs `body` with a reader of `bytes`. Neither the reader nor its slices may leave `body`.
    ///
    /// - Throws: what `body` throws.
    public static func read<Result, Failure: Error>(
        _ bytes: [UInt8], limits: JSONLimits = JSONLimits(), origin: JSONPosition = .start,
        _ body: (inout JSONReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) -> Result in
            var reader = JSONReader(UnsafeRawBufferPointer(buffer), limits: limits, origin: origin)
            return try body(&reader)
        }
    }

    /// Bytes consumed so far.
    public var byteOffset: Int { index }

    /// Objects and arrays open at the moment.
    public var depth: Int { nesting.depth }

    /// Where the reader stands. Counts lines from the start of the text, so it is for messages only.
    public var position: JSONPosition { position(at: index) }

    /// Where the string or key `slice` stands, at its opening quote. Counts lines from the start of the text, so it is
    /// for messages only.
    ///
    /// - Precondition: this reader, or one that it was copied from or to, gave the slice.
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

// MARK: - What the other files build on

extension JSONReader {
    @inline(__always)
    mutating func skipWhitespace() {
        while index < bytes.count, bytes[index].isJSONWhitespace { index &+= 1 }
    }

    /// Skips whitespace and gives the byte behind it, unconsumed.
    @inline(__always)
    mutating func significantByte() throws(JSONError) -> UInt8 {
        skipWhitespace()
        guard index < bytes.count else { throw failure(.unexpectedEnd, at: bytes.count) }
        return bytes[index]
    }

    /// The first byte of the value that is due, unconsumed.
    @inline(__always)
    mutating func firstByteOfValue() throws(JSONError) -> UInt8 {
        if expectation != .value { try refuseValue() }
        return try significantByte()
    }

    /// Notes that a value has been consumed.
    @inline(__always)
    mutating func finishValue() {
        expectation = nesting.depth == 0 ? .end : .following
    }

    @inline(never)
    private func refuseValue() throws(JSONError) {
        precondition(expectation == .refusal, "no value is due here: call nextKey(), nextElement() or expectEnd()")
        throw failure(.documentTooLong(limit: limits.maximumBytes), at: 0)
    }

    /// The error for a value of another kind than `expected`, or for no value at all.
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
