/// A location in a source text: line and column, both counted from 1. The column counts Unicode scalars.
///
/// LF, CR and CRLF each end one line (October 2021 §2.1.3).
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1.
    public var line: Int
    /// The column in Unicode scalars, from 1.
    public var column: Int

    /// Makes a location from a known line and column.
    public init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Finds the location of a byte offset. This reads `source` up to the offset, so it is meant for single look-ups.
    ///
    /// An offset after the end counts as the end. For many look-ups in the same text, use ``SourceLines``.
    public init(offset: Int, in source: [UInt8]) {
        let end = min(max(offset, 0) + 1, source.count)
        self = SourceLines(source[..<end]).location(at: offset, in: source)
    }

    /// `line:column`.
    public var description: String { "\(line):\(column)" }
}

/// A half-open range of UTF-8 byte offsets in the source text of a node.
///
/// Nodes that were made in code have the span `.none`, which is empty and at offset 0.
public struct SourceSpan: Sendable, Hashable {
    /// The offset of the first byte, from 0.
    public var start: Int
    /// The offset after the last byte.
    public var end: Int

    /// The span of a node that was not parsed from text.
    public static let none = SourceSpan(start: 0, end: 0)

    /// Makes the span `start ..< end`. `end` must not be before `start`, and neither may be negative.
    public init(start: Int, end: Int) {
        precondition(0 <= start && start <= end, "a source span ends before it starts")
        self.start = start
        self.end = end
    }
}

/// The starts of the lines of a source text, for finding many locations.
public struct SourceLines: Sendable {
    private let starts: [Int]
    /// The number of scalars that start before each block of bytes. With it, a location far into a long line is found without
    /// reading the whole line.
    private let scalarsBeforeBlocks: [Int]
    private static let blockByteCount = 256

    /// Reads `source` once and finds its lines.
    public init(_ source: [UInt8]) { self.init(source[...]) }

    init(_ source: ArraySlice<UInt8>) {
        precondition(source.startIndex == 0, "offsets count from the start of the text")
        var starts = [0]
        var offset = source.startIndex
        while offset < source.endIndex {
            let byte = source[offset]
            offset += 1
            if byte == Byte.carriageReturn, offset < source.endIndex, source[offset] == Byte.lineFeed { offset += 1 }
            if byte == Byte.lineFeed || byte == Byte.carriageReturn { starts.append(offset) }
        }
        self.starts = starts
        var scalars = 0
        scalarsBeforeBlocks = (0...source.count / Self.blockByteCount).map { block in
            if block > 0 {
                let start = (block - 1) * Self.blockByteCount
                scalars += Self.scalars(in: source[start..<start + Self.blockByteCount])
            }
            return scalars
        }
    }

    /// Every byte except a continuation byte (10xxxxxx) starts a scalar.
    private static func scalars(in bytes: ArraySlice<UInt8>) -> Int { bytes.count { $0 & 0xC0 != 0x80 } }

    private func scalars(before offset: Int, in source: [UInt8]) -> Int {
        let block = min(offset / Self.blockByteCount, scalarsBeforeBlocks.count - 1)
        return scalarsBeforeBlocks[block] + Self.scalars(in: source[block * Self.blockByteCount..<offset])
    }

    /// The location of a byte offset in `source`, which must be the text from which the lines were read.
    ///
    /// An offset after the end counts as the end. An offset inside a scalar counts as the place after the scalar.
    public func location(at offset: Int, in source: [UInt8]) -> SourceLocation {
        let offset = min(max(offset, 0), source.count)
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        let scalars = scalars(before: offset, in: source) - scalars(before: starts[low], in: source)
        return SourceLocation(line: low + 1, column: scalars + 1)
    }
}
