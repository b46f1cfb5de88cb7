/// A streaming writer of JSON (RFC 8259) into a byte buffer that can be used again.
///
/// Commas, colons and, in the pretty style, lines and indentation come by themselves. Equal calls always give equal
/// bytes:
/// - of a string only `"`, `\` and controls below U+0020 are escaped (`\b \t \n \f \r`, else `\u00xx` in lower case);
/// - an integer is its digits;
/// - a double is the shortest text that reads back as the same double, always with a fraction or an exponent:
///   `468.0`, `0.0001`, `1e-05`, `1e+16`, `-0.0`.
///
/// Calls that would not give a JSON text (a value without its key, brackets that do not pair, nesting deeper than
/// ``JSONLimits/deepest``) are programming errors and trap.
public struct JSONWriter: Sendable {
    /// How the text is laid out.
    public enum Style: Hashable, Sendable {
        /// No whitespace at all.
        case compact
        /// One member a line, indented by two spaces a level, for people.
        case pretty
    }

    private enum Expectation: Sendable {
        /// A value: of the document, or behind a key.
        case value
        /// Behind an opening bracket.
        case first
        /// Behind a member.
        case following
        /// Behind a document's value.
        case end
    }

    /// How the text is laid out.
    public let style: Style
    /// What has been written.
    public private(set) var bytes: [UInt8]

    private var expectation = Expectation.value
    private var nesting = JSONNesting()

    /// A writer that appends to `buffer`.
    public init(appendingTo buffer: consuming [UInt8] = [], style: Style = .compact) {
        bytes = buffer
        self.style = style
    }

    /// Whether no object or array is open and no key waits for its value.
    public var isComplete: Bool { expectation == .end || (expectation == .value && nesting.depth == 0) }

    /// Forgets what has been written, keeping the buffer, and starts a new document.
    public mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        expectation = .value
        nesting = JSONNesting()
    }

    /// Hands what has been written to `body` and forgets it, keeping the buffer and the place in the document, so that
    /// a long document can leave in pieces.
    ///
    /// - Throws: what `body` throws; the bytes are then kept.
    public mutating func flush<Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
    ) throws(Failure) {
        try bytes.withUnsafeBufferPointer { (buffer) throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
        bytes.removeAll(keepingCapacity: true)
    }

    /// Ends the document with a line feed and starts a new one, as newline-delimited JSON wants it.
    ///
    /// - Precondition: the document is complete.
    public mutating func endLine() {
        precondition(expectation == .end, "a line ends behind a complete document")
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

    /// Writes a key, whose value must follow.
    public mutating func key(_ name: String) {
        startKey()
        bytes.appendQuoted(name)
        finishKey()
    }

    /// Writes a key that is held as UTF-8 bytes, whose value must follow.
    ///
    /// - Precondition: `name` is valid UTF-8, which is not checked.
    public mutating func key(utf8 name: UnsafeRawBufferPointer) {
        startKey()
        bytes.appendQuoted(name)
        finishKey()
    }
}

// MARK: - What the values build on

extension JSONWriter {
    /// Puts in front of a value what belongs there, appends it, and notes that it is written.
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
        precondition(nesting.isInObject && expectation != .value, "a key belongs into an object, behind a member")
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
