/// Splits newline-delimited JSON into lines. The input may come in chunks of any size, which do not influence the result.
///
/// A line ends with LF or CRLF. The last line may also end with the input. Lines with only whitespace are counted, but
/// otherwise skipped. A line that is complete within a chunk is not copied. The splitter does not read the contents of lines.
public struct JSONLineSplitter: Sendable {
    /// The largest size of a line in bytes, without its end.
    public let maximumLineBytes: Int

    /// The start of a line whose end has not arrived yet.
    private var pending: [UInt8] = []
    /// The position of the line whose end arrives next.
    private var lineStart = JSONPosition.start

    /// Makes a splitter at the start of its input.
    ///
    /// - Precondition: `maximumLineBytes` is at least 1.
    public init(maximumLineBytes: Int = 64 << 20) {
        precondition(maximumLineBytes >= 1, "a line has at least one byte")
        self.maximumLineBytes = maximumLineBytes
    }

    /// Adds the next bytes of the input. Calls `body`, in order, with every line that these bytes complete.
    ///
    /// - Throws: ``JSONError`` `lineTooLong`, as soon as a line is too long, and the errors of `body`. After an error, the
    ///   splitter must not be used again.
    public mutating func append(_ chunk: UnsafeRawBufferPointer, _ body: (Line) throws -> Void) throws {
        var start = 0
        while start < chunk.count {
            let end = chunk.indexOfLineFeed(from: start)
            let piece = UnsafeRawBufferPointer(rebasing: chunk[start..<end])
            guard end < chunk.count else {
                try checkLength(pending.count + piece.count, last: piece.last)
                pending.append(contentsOf: piece)
                return
            }
            if pending.isEmpty {
                try emit(piece, body)
            } else {
                try checkLength(pending.count + piece.count, last: piece.last ?? pending.last)
                pending.append(contentsOf: piece)
                try emitPending(body)
            }
            start = end + 1
        }
    }

    /// Adds the next bytes of the input. Calls `body`, in order, with every line that these bytes complete.
    ///
    /// - Throws: The errors of the other `append`.
    public mutating func append(_ chunk: [UInt8], _ body: (Line) throws -> Void) throws {
        try chunk.withUnsafeBytes { try append($0, body) }
    }

    /// Ends the input. Calls `body` with the last line if it has no line end.
    ///
    /// - Throws: The errors of `body`, and `lineTooLong`.
    public mutating func finish(_ body: (Line) throws -> Void) throws {
        if !pending.isEmpty { try emitPending(body) }
    }

    private mutating func emitPending(_ body: (Line) throws -> Void) throws {
        var line: [UInt8] = []
        swap(&line, &pending)
        try line.withUnsafeBytes { try emit($0, body) }
        line.removeAll(keepingCapacity: true)
        swap(&line, &pending)
    }

    /// Passes one line on, and moves `lineStart` after it. `line` may still contain the carriage return of its end.
    private mutating func emit(_ line: UnsafeRawBufferPointer, _ body: (Line) throws -> Void) throws {
        try checkLength(line.count, last: line.last)
        let position = lineStart
        lineStart = JSONPosition(byteOffset: position.byteOffset + line.count + 1, line: position.line + 1, column: 1)
        let length = line.last == UInt8(ascii: "\r") ? line.count - 1 : line.count
        let bytes = UnsafeRawBufferPointer(rebasing: line[..<length])
        if bytes.contains(where: { !$0.isJSONWhitespace }) { try body(Line(bytes: bytes, position: position)) }
    }

    /// Refuses a line, or the start of one, that is too long. A carriage return at the end is not counted, because it may
    /// belong to the line's end.
    private func checkLength(_ length: Int, last: UInt8?) throws(JSONError) {
        let counted = last == UInt8(ascii: "\r") ? length - 1 : length
        guard counted <= maximumLineBytes else { throw JSONError(.lineTooLong(limit: maximumLineBytes), at: lineStart) }
    }

    /// One line of newline-delimited JSON.
    public struct Line {
        /// The line without its end. The bytes are only valid inside the call that gets the line.
        ///
        /// Sound because the pointer points into the chunk or the splitter's buffer. Neither changes during that call.
        public let bytes: UnsafeRawBufferPointer
        /// The position of the line in the whole input. Give it to ``JSONReader`` as the origin.
        public let position: JSONPosition
    }
}
