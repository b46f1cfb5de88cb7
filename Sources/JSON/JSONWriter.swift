/// A streaming writer of JSON (RFC 8259) into a byte buffer that can be used again.
///
/// The writer adds commas and colons, and in the pretty style also line breaks and indentation. Equal calls always give equal
/// bytes:
/// - In a string, only `"`, `\` and control characters below U+0020 are escaped (`\b \t \n \f \r`, and `\u00xx` in lower case
///   for the rest).
/// - An integer is written as its digits.
/// - A double is written as the shortest text that reads back as the same double, always with a fraction or an exponent:
///   `468.0`, `0.0001`, `1e-05`, `1e+16`, `-0.0`.
///
/// Some calls would not give a JSON text: a value without its key, brackets that do not match, or nesting deeper than
/// ``JSONLimits/deepest``. Such calls are programming errors and trap.
public struct JSONWriter: Sendable {
    /// The layout of the text.
    public enum Style: Hashable, Sendable {
        /// A layout without whitespace.
        case compact
        /// A layout for people: one member on each line, indented by two spaces for each level.
        case pretty
    }

    private enum Expectation: Sendable {
        /// A value: the value of the document, or the value after a key.
        case value
        /// The first member or the end, after an opening bracket.
        case first
        /// A further member or the end, after a member.
        case following
        /// Nothing further, after a document's value.
        case end
    }

    /// The layout of the text.
    public let style: Style
    /// The bytes written so far.
    public private(set) var bytes: [UInt8]

    private var expectation = Expectation.value
    private var nesting = JSONNesting()

    /// Makes a writer that appends to `buffer`.
    public init(appendingTo buffer: consuming [UInt8] = [], style: Style = .compact) {
        bytes = buffer
        self.style = style
    }

    /// Makes a writer with room for `byteCount` bytes, so that its buffer does not have to grow for a document of that size.
    public init(reserving byteCount: Int) {
        self.init()
        bytes.reserveCapacity(byteCount)
    }

    /// Whether no object or array is open and no key waits for its value.
    public var isComplete: Bool { expectation == .end || (expectation == .value && nesting.depth == 0) }

    /// Removes the bytes written so far, keeps the buffer, and starts a new document.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        expectation = .value
        nesting = JSONNesting()
    }

    /// Passes the bytes written so far to `body`, and then removes them. The buffer and the position in the document are kept,
    /// so that a long document can be passed on in pieces.
    ///
    /// - Throws: The errors of `body`. The bytes are then kept.
    public mutating func flush<Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Ends the document with a line feed, and starts a new document, as newline-delimited JSON requires.
    ///
    /// - Precondition: The document is complete.
    public mutating func endLine() {
        precondition(expectation == .end, "a line ends after a complete document")
        bytes.append(UInt8(ascii: "\n"))
        expectation = .value
    }

    /// Starts an object.
    public mutating func beginObject() { open(UInt8(ascii: "{"), isObject: true) }

    /// Ends the innermost object.
    public mutating func endObject() {
        precondition(nesting.isInObject && expectation != .value, "no object can end here")
        close(UInt8(ascii: "}"))
    }

    /// Starts an array.
    public mutating func beginArray() { open(UInt8(ascii: "["), isObject: false) }

    /// Ends the innermost array.
    public mutating func endArray() {
        precondition(nesting.isInArray, "no array can end here")
        close(UInt8(ascii: "]"))
    }

    /// Writes a key. The key's value must follow.
    public mutating func key(_ name: String) {
        startKey()
        bytes.appendQuoted(name)
        finishKey()
    }

    /// Writes a key that is given as UTF-8 bytes. The key's value must follow.
    ///
    /// - Precondition: `name` is valid UTF-8. The writer does not check this.
    public mutating func key(utf8 name: UnsafeRawBufferPointer) {
        startKey()
        bytes.appendQuoted(name)
        finishKey()
    }

    /// Writes a key that is already a JSON string, unchanged. The key's value must follow.
    ///
    /// - Precondition: `text` is one valid JSON string. Only debug builds check its quotes.
    public mutating func rawKey(_ text: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        assert(text.count >= 2 && text.first == quote && text.last == quote, "a key is in quotes")
        startKey()
        bytes.append(contentsOf: text)
        finishKey()
    }
}

// MARK: - Shared by the methods for values

extension JSONWriter {
    /// Writes what must precede a value, appends the value, and records that it is written.
    @inline(__always)
    mutating func writeValue(_ append: (inout [UInt8]) -> Void) {
        startValue()
        append(&bytes)
        finishValue()
    }

    private mutating func startValue() {
        switch expectation {
        case .value: return
        case .first, .following:
            precondition(nesting.isInArray, "a value in an object needs its key first")
            startMember()
        case .end: preconditionFailure("the document already has its value")
        }
    }

    @inline(__always)
    private mutating func finishValue() { expectation = nesting.depth == 0 ? .end : .following }

    private mutating func startKey() {
        precondition(nesting.isInObject && expectation != .value, "a key belongs into an object, after a member")
        startMember()
    }

    private mutating func finishKey() {
        bytes.append(UInt8(ascii: ":"))
        if style == .pretty { bytes.append(UInt8(ascii: " ")) }
        expectation = .value
    }

    @inline(__always)
    private mutating func startMember() {
        if expectation == .following { bytes.append(UInt8(ascii: ",")) }
        if style == .pretty { appendLineBreak() }
    }

    private mutating func open(_ bracket: UInt8, isObject: Bool) {
        startValue()
        precondition(nesting.depth < JSONLimits.deepest, "nested deeper than any reader takes")
        nesting.push(isObject: isObject)
        bytes.append(bracket)
        expectation = .first
    }

    private mutating func close(_ bracket: UInt8) {
        let isEmpty = expectation == .first
        nesting.pop()
        if style == .pretty && !isEmpty { appendLineBreak() }
        bytes.append(bracket)
        finishValue()
    }

    private mutating func appendLineBreak() {
        bytes.append(UInt8(ascii: "\n"))
        bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * nesting.depth))
    }
}

// MARK: - Values

extension JSONWriter {
    /// Writes a string.
    public mutating func string(_ value: String) {
        writeValue { $0.appendQuoted(value) }
    }

    /// Writes a string that is given as UTF-8 bytes.
    ///
    /// - Precondition: `value` is valid UTF-8. The writer does not check this.
    public mutating func string(utf8 value: UnsafeRawBufferPointer) {
        writeValue { $0.appendQuoted(value) }
    }

    /// Writes an integer.
    public mutating func int(_ value: Int64) {
        writeValue { $0.appendDecimal(value) }
    }

    /// Writes a double as the shortest text that reads back as the same double.
    ///
    /// - Precondition: `value` is finite, because JSON has no text for other doubles.
    public mutating func double(_ value: Double) {
        precondition(value.isFinite, "JSON has no text for NaN and infinity")
        writeValue { buffer in
            var text = value.description
            text.withUTF8 { buffer.append(contentsOf: $0) }
        }
    }

    /// Writes `true` or `false`.
    public mutating func bool(_ value: Bool) {
        writeValue { $0.append(contentsOf: (value ? "true" : "false").utf8) }
    }

    /// Writes `null`.
    public mutating func null() {
        writeValue { $0.append(contentsOf: "null".utf8) }
    }

    /// Writes a value that is already JSON text, unchanged.
    ///
    /// - Precondition: `value` is one valid JSON value. Only debug builds check this.
    public mutating func rawValue(_ value: UnsafeRawBufferPointer) {
        assert(isOneValue(value), "a raw value must be one valid JSON value")
        writeValue { $0.append(contentsOf: value) }
    }

    private func isOneValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var reader = JSONReader(bytes, limits: JSONLimits(maximumBytes: .max, maximumNumberBytes: .max))
        do {
            try reader.skipValue()
            try reader.expectEnd()
            return true
        } catch {
            return false
        }
    }
}

extension [UInt8] {
    /// Appends `string` in quotes, with escapes.
    @inline(__always)
    mutating func appendQuoted(_ string: String) {
        var string = string
        string.withUTF8 { appendQuoted(UnsafeRawBufferPointer($0)) }
    }

    /// Appends the UTF-8 bytes `string` in quotes, with escapes.
    mutating func appendQuoted(_ string: UnsafeRawBufferPointer) {
        append(UInt8(ascii: "\""))
        var start = 0
        while true {
            let end = string.indexOfEscaped(from: start)
            append(contentsOf: UnsafeRawBufferPointer(rebasing: string[start..<end]))
            guard end < string.count else { break }
            appendEscape(of: string[end])
            start = end + 1
        }
        append(UInt8(ascii: "\""))
    }

    private mutating func appendEscape(of byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x08: append(UInt8(ascii: "b"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0C: append(UInt8(ascii: "f"))
        case 0x0D: append(UInt8(ascii: "r"))
        default:
            append(contentsOf: byte < 0x10 ? "u000".utf8 : "u001".utf8)
            let digit = byte & 0x0F
            append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
        }
    }

    /// Appends the decimal digits of `value`.
    mutating func appendDecimal(_ value: Int64) {
        if value < 0 { append(UInt8(ascii: "-")) }
        var rest = value.magnitude
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var start = 20
            repeat {
                let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
                rest = quotient
            } while rest > 0
            append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }
}
