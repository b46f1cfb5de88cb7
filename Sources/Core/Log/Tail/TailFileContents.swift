/// Finds groups in the bytes of a tail's file.
package struct TailFileContents {
    package let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the two files of the tail in `directory`. A missing file counts as empty.
    package static func both(in directory: String) throws -> [TailFileContents] {
        try (0..<2).map { index in
            TailFileContents(try TailFileReader(TailFormat.path(directory, index))?.contents() ?? [])
        }
    }

    private var header: TailHeader? {
        guard case .header(let header) = try? TailHeader.found(in: bytes) else { return nil }
        return header
    }

    /// The store that the file's header names, `nil` if the header is missing or damaged.
    package var store: StoreID? { header?.store }

    /// The furthest position that whole groups of the file give to each consumer.
    package func consumerPositions() -> [String: Position] {
        guard let header else { return [:] }
        var places: [String: Position] = [:]
        for (frame, _) in (try? round(from: header.byteCount)) ?? [] {
            for (name, position) in frame.consumers {
                guard let position, position.sequence >= places[name]?.sequence ?? .zero else { continue }
                places[name] = position
            }
        }
        return places
    }

    /// The whole groups of one round, from `start` on.
    func round(from start: Int) throws -> [(frame: TailFrame, range: Range<Int>)] {
        try bytes.withUnsafeBytes { bytes in
            var frames: [(frame: TailFrame, range: Range<Int>)] = []
            var offset = start
            while let frame = try TailFrame(UnsafeRawBufferPointer(rebasing: bytes[min(offset, bytes.count)...])) {
                if let last = frames.last?.frame {
                    guard frame.header.follows(last.header), frame.header.start == last.end else { break }
                }
                frames.append((frame, offset..<(offset + frame.byteCount)))
                offset += frame.byteCount
            }
            return frames
        }
    }

    /// The number of a whole group with a higher number than `last` for which `isWanted` is true, `nil` if there is none.
    ///
    /// The group must belong to the round that begins at `start`. If there is no whole group at `start`, it may belong
    /// to any round.
    func group(
        after last: UInt64, from start: Int, where isWanted: (TailFrame.Header) -> Bool = { _ in true }
    ) throws -> UInt64? {
        try bytes.withUnsafeBytes { bytes in
            let first = try TailFrame(UnsafeRawBufferPointer(rebasing: bytes[min(start, bytes.count)...]))
            for place in stride(
                from: start, through: bytes.count - TailFormat.frameHeaderByteCount, by: TailFormat.alignment)
            {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[place...])
                guard let header = TailFrame.header(rest, within: rest.count), header.number > last,
                    first.map({ $0.header.round == header.round }) ?? true, isWanted(header),
                    (try? TailFrame(rest)) ?? nil != nil
                else { continue }
                return header.number
            }
            return nil
        }
    }
}
