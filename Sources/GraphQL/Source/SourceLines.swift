/// Where the lines of one source text start, for looking up many locations.
public struct SourceLines: Sendable {
    private let starts: [Int]

    /// Reads `source` once.
    public init(_ source: [UInt8]) {
        self.init(source[...])
    }

    init(_ source: ArraySlice<UInt8>) {
        var starts = [0]
        var offset = source.startIndex
        while offset < source.endIndex {
            let byte = source[offset]
            offset += 1
            if byte == Byte.carriageReturn, offset < source.endIndex, source[offset] == Byte.lineFeed { offset += 1 }
            if byte == Byte.lineFeed || byte == Byte.carriageReturn { starts.append(offset) }
        }
        self.starts = starts
    }

    /// The location of a byte offset in `source`, the text these lines were read from.
    ///
    /// An offset past the end counts as the end; one inside a scalar counts as the place behind it.
    public func location(at offset: Int, in source: [UInt8]) -> SourceLocation {
        let offset = min(max(offset, 0), source.count)
        var low = 0
        var high = starts.count
        while high - low > 1 {
            let middle = (low + high) / 2
            if starts[middle] <= offset { low = middle } else { high = middle }
        }
        let lineStart = starts[low]
        // Every byte but a continuation byte (10xxxxxx) starts a scalar.
        let scalars = source[lineStart..<offset].count { $0 & 0xC0 != 0x80 }
        return SourceLocation(line: low + 1, column: scalars + 1)
    }
}
