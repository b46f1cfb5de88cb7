/// The starts of the lines of a source text, for finding many locations.
public struct SourceLines: Sendable {
    private let starts: [Int]
    /// The number of scalars that start before each block of bytes. With it, a location far into a long line is found without
    /// reading the whole line.
    private let scalarsBeforeBlocks: [Int]
    private static let blockByteCount = 256

    /// Reads `source` once and finds its lines.
    public init(_ source: [UInt8]) {
        self.init(source[...])
    }

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
