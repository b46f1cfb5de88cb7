/// What stands in the files of a tail: the groups of the round that each was written in last.
struct TailContents {
    private let rounds: [TailRound]

    /// Reads the tail of the log in `directory`.
    ///
    /// - Throws: ``DataStoreError``: `logDamaged`, `newerFormat`, `inputOutput`.
    init(directory: String, store: StoreID) throws {
        rounds = try (0..<2).compactMap { index in
            guard let file = try TailFileReader(TailFormat.path(directory, index)) else { return nil }
            return try TailRound(file.contents(), store)
        }
    }

    /// Whether no file holds a group, or ever did.
    var isEmpty: Bool { rounds.isEmpty }

    /// The highest number of a group in the files, also of those that power loss separated from what they follow.
    var lastNumber: UInt64 { rounds.compactMap { $0.frames.last?.frame.header.number }.max() ?? 0 }

    /// Hands the groups that follow group `frame` and the log's end there, `head`, to `body`, in order: every one up to the
    /// first that is not whole, as power loss leaves them.
    ///
    /// - Throws: ``DataStoreError`` with code `logDamaged` if a group is missing that was durable; what `body` throws.
    func forEach(
        after frame: UInt64, _ head: Position, _ body: (TailFrame, UnsafeRawBufferPointer) throws -> Void
    ) throws {
        var (last, end) = (frame, head)
        while let round = rounds.first(where: { $0.numbers.contains(last + 1) }) {
            for index in Int(last + 1 - round.numbers.lowerBound)..<round.frames.count {
                let (next, range) = round.frames[index]
                // Of a history that power loss ended.
                guard next.header.start == end else { return try requireNothingDurable(after: last) }
                try round.bytes.withUnsafeBytes { try body(next, UnsafeRawBufferPointer(rebasing: $0[range])) }
                (last, end) = (next.header.number, next.end)
            }
        }
        try requireNothingDurable(after: last)
    }

    /// Throws if there is a group behind a missing one that was written when what is missing was durable.
    private func requireNothingDurable(after last: UInt64) throws {
        for round in rounds {
            guard let later = round.durableFrame(after: last) else { continue }
            throw DataStoreError.damagedLog(
                "lacks group \(last + 1) of its tail, which was durable before group \(later)")
        }
    }
}

/// The groups of one file that belong to the round of its first one.
struct TailRound {
    let bytes: [UInt8]
    let frames: [(frame: TailFrame, range: Range<Int>)]
    /// Where the first frame stands that is not whole.
    private let end: Int

    var numbers: Range<UInt64> {
        guard let first = frames.first?.frame.header.number else { return 0..<0 }
        return first..<(first + UInt64(frames.count))
    }

    /// The round in a file of `bytes`; `nil` if the file was never begun.
    init?(_ bytes: [UInt8], _ store: StoreID) throws {
        guard try bytes.withUnsafeBytes({ try TailHeader.check($0, store) }) else { return nil }
        self.bytes = bytes
        (frames, end) = try bytes.withUnsafeBytes { try Self.frames($0) }
    }

    private static func frames(_ bytes: UnsafeRawBufferPointer) throws -> (
        frames: [(frame: TailFrame, range: Range<Int>)], end: Int
    ) {
        var frames: [(frame: TailFrame, range: Range<Int>)] = []
        var offset = TailFormat.fileHeaderByteCount
        while let frame = try TailFrame(UnsafeRawBufferPointer(rebasing: bytes[min(offset, bytes.count)...])) {
            if let last = frames.last?.frame {
                guard frame.header.follows(last.header), frame.header.start == last.end else { break }
            }
            frames.append((frame, offset..<(offset + frame.byteCount)))
            offset += frame.byteCount
        }
        return (frames, offset)
    }

    /// The number of a group behind the last good one, and behind `last`, that was written when everything before it was
    /// durable; `nil` if there is none.
    func durableFrame(after last: UInt64) -> UInt64? {
        if let first = frames.first?.frame.header, first.number > last + 1, first.flags & TailFormat.followsDurable != 0
        {
            return first.number
        }
        // A file that was emptied when its log was closed holds nothing else.
        let isEmptied = bytes.dropFirst(end).prefix(TailFormat.frameHeaderByteCount).allSatisfy { $0 == 0 }
        guard !frames.isEmpty || !isEmptied else { return nil }
        return bytes.withUnsafeBytes { bytes in
            let places = stride(
                from: end, through: bytes.count - TailFormat.frameHeaderByteCount, by: TailFormat.alignment)
            for place in places {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[place...])
                guard let header = TailFrame.header(rest, within: rest.count), header.number > last + 1,
                    header.flags & TailFormat.followsDurable != 0,
                    frames.isEmpty || header.round == frames[0].frame.header.round,
                    (try? TailFrame(rest)) ?? nil != nil
                else { continue }
                return header.number
            }
            return nil
        }
    }
}

extension TailFrameHeader {
    /// Whether the frame was written right after `last`.
    func follows(_ last: TailFrameHeader) -> Bool { number == last.number + 1 && round == last.round }
}
