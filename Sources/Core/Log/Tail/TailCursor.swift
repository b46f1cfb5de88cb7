/// Reads the groups of a tail in the log's order. Opening for writing and processes that only read learn from it what the
/// log has after its environment.
struct TailCursor: Sendable {
    /// The number of the last group that was read, or that the environment has.
    private(set) var last: UInt64
    /// The place in the log after that group.
    private(set) var end: Position
    /// Where the next group of the last one's round is expected.
    private var place: Place?
    /// The rounds of the two files, as far as all of their groups come before the last one.
    private var passed: [UInt64?] = [nil, nil]

    private struct Place {
        let file: Int
        let offset: Int
        let round: UInt64
    }

    /// - Parameters:
    ///   - last: The number of the last group that the environment has.
    ///   - end: The place in the log after that group.
    init(after last: UInt64, _ end: Position) { (self.last, self.end) = (last, end) }

    /// Continues after the last group that the environment has by now.
    mutating func skip(to last: UInt64, _ end: Position) {
        if self.last != last { place = nil }
        (self.last, self.end) = (last, end)
    }

    /// Hands the next group to `body`; returns whether there is one.
    ///
    /// - Throws: ``DataStoreError``: `logDamaged`, `newerFormat`, `inputOutput`; what `body` throws.
    mutating func next(
        in files: TailFiles, _ body: (TailFrame, UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        if let place, try read(place, in: files, body) { return true }
        for file in 0..<2 {
            if let found = try find(in: file, of: files), try read(found, in: files, body) { return true }
        }
        return false
    }

    /// Throws if the next group is missing although it was durable, or cannot have been lost since it was written.
    ///
    /// Another process may be writing the files: then an error counts only if the next group is still missing, and if
    /// the environment has not taken in groups in between.
    func requireNothingMissing(in files: TailFiles) throws {
        guard let later = try files.groupAfterMissing(last) else { return }
        throw DataStoreError.damagedLog("lacks group \(last + 1) of its tail, although group \(later) is there")
    }

    /// Where the next group is in the round that a file begins with; `nil` if it is not there.
    private mutating func find(in file: Int, of files: TailFiles) throws -> Place? {
        guard var offset = files.start(of: file), var header = try files.header(in: file) else { return nil }
        let round = header.round
        guard passed[file] != round, place?.file != file || place?.round != round else { return nil }
        while header.number <= last {
            offset += Int(header.length)
            guard let next = try files.header(in: file, at: offset), next.follows(header) else {
                if header.number == last {
                    place = Place(file: file, offset: offset, round: round)
                } else {
                    passed[file] = round
                }
                return nil
            }
            header = next
        }
        return header.number == last + 1 ? Place(file: file, offset: offset, round: round) : nil
    }

    /// Reads the group at `place`, if it is the next one; returns whether it is.
    private mutating func read(
        _ place: Place, in files: TailFiles, _ body: (TailFrame, UnsafeRawBufferPointer) throws -> Void
    ) throws -> Bool {
        guard let header = try files.header(in: place.file, at: place.offset), isNext(header, place) else {
            return false
        }
        let bytes = try files.bytes(in: place.file, at: place.offset, count: Int(header.length))
        return try bytes.withUnsafeBytes { bytes in
            guard let frame = try TailFrame(bytes), isNext(frame.header, place) else { return false }
            try body(frame, bytes)
            (last, end) = (frame.header.number, frame.end)
            self.place = Place(file: place.file, offset: place.offset + bytes.count, round: place.round)
            return true
        }
    }

    private func isNext(_ header: TailFrameHeader, _ place: Place) -> Bool {
        header.number == last + 1 && header.round == place.round && header.start == end
    }
}
