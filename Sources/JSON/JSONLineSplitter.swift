/// One line of newline-delimited JSON.
public struct JSONLine {
    /// The line without its end. Valid only inside the call that it was given to.
    ///
    /// Sound: points into the chunk or the splitter's buffer, neither of which changes during that call.
    public let bytes: UnsafeRawBufferPointer
    /// Where the line starts in the whole input; give it to ``JSONReader`` as the origin.
    public let position: JSONPosition
}

/// Splits newline-delimited JSON that comes in chunks of any size into lines, independent of how the bytes come.
///
/// A line ends with LF or CRLF, the last one also with the input. Lines of nothing but whitespace are counted and
/// otherwise skipped. Lines that are whole within a chunk are not copied. What a line holds is not looked at.
public struct JSONLineSplitter: Sendable {
    /// The longest line that is taken, in bytes without its end.
    public let maximumLineBytes: Int

    /// The start of a line whose end has not come yet.
    private var pending: [UInt8] = []
    /// Where the line starts whose end comes next.
    private var lineStart = JSONPosition.start

    /// A splitter at the start of its input.
    ///
    /// - Precondition: `maximumLineBytes` is at least 1.
    public init(maximumLineBytes: Int = 64 << 20) {
        precondition(maximumLineBytes >= 1, "a line has at least one byte")
        self.maximumLineBytes = maximumLineBytes
    }

    /// The number of the line that is being gathered, from 1.
    public var lineNumber: Int { lineStart.line }

    /// Takes the next bytes of the input and hands every line that they complete to `body`, in order.
    ///
    /// - Throws: ``JSONError`` `lineTooLong`, as soon as a line is, and what `body` throws. Either ends the splitting.
    public mutating func append(_ chunk: UnsafeRawBufferPointer, _ body: (JSONLine) throws -> Void) throws {
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

    /// Takes the next bytes of the input and hands every line that they complete to `body`, in order.
    ///
    /// - Throws: as the other `append`.
    public mutating func append(_ chunk: [UInt8], _ body: (JSONLine) throws -> Void) throws {
        try chunk.withUnsafeBytes { try append($0, body) }
    }

    /// Ends the input and hands its last line to `body`, if that had no end of its own.
    ///
    /// - Throws: what `body` throws, and `lineTooLong`.
    public mutating func finish(_ body: (JSONLine) throws -> Void) throws {
        if !pending.isEmpty { try emitPending(body) }
    }

    private mutating func emitPending(_ body: (JSONLine) throws -> Void) throws {
        var line: [UInt8] = []
        swap(&line, &pending)
        try line.withUnsafeBytes { try emit($0, body) }
        line.removeAll(keepingCapacity: true)
        swap(&line, &pending)
    }

    /// Hands on one line, still with the carriage return of its end, and moves `lineStart` behind it.
    private mutating func emit(_ line: UnsafeRawBufferPointer, _ body: (JSONLine) throws -> Void) throws {
        try checkLength(line.count, last: line.last)
        let position = lineStart
        lineStart = JSONPosition(byteOffset: position.byteOffset + line.count + 1, line: position.line + 1, column: 1)
        let length = line.last == UInt8(ascii: "\r") ? line.count - 1 : line.count
        let bytes = UnsafeRawBufferPointer(rebasing: line[..<length])
        if bytes.contains(where: { !$0.isJSONWhitespace }) { try body(JSONLine(bytes: bytes, position: position)) }
    }

    /// Refuses a line, or the start of one, that is longer than the limit even if its last byte is of the line's end.
    private func checkLength(_ length: Int, last: UInt8?) throws(JSONError) {
        let counted = last == UInt8(ascii: "\r") ? length - 1 : length
        guard counted <= maximumLineBytes else { throw JSONError(.lineTooLong(limit: maximumLineBytes), at: lineStart) }
    }
}
