/// Reads the groups of a tail in the log's order. Opening for writing uses it, and processes that only read the log.
/// They learn from it which groups follow the environment.
struct TailCursor: Sendable {
    /// The number of the last group that was read, or that the environment has.
    private(set) var last: UInt64
    /// The position in the log after that group.
    private(set) var end: Position
    /// The place at which the next group of the present round is expected.
    private var place: Place?
    /// For each file, a round whose groups all come before the last group that was read.
    private var passed: [UInt64?] = [nil, nil]

    private struct Place {
        let file: Int
        let offset: Int
        let round: UInt64
    }

    /// - Parameter end: The end of the log in the environment.
    init(after end: RecentEvents.End) { (last, self.end) = (end.group, end.position) }

    /// Continues after `end`, where the log ends in the environment now.
    mutating func skip(to end: RecentEvents.End) {
        if last != end.group { place = nil }
        last = end.group
        self.end = end.position
    }

    /// Passes the next group to `body`. Returns whether there is one.
    ///
    /// - Throws: ``DataStoreError`` with code `logDamaged`, `newerFormat` or `inputOutput`, or an error of `body`.
    mutating func next(in files: TailFiles, _ body: (TailFrame, UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        if let place, try read(place, in: files, body) { return true }
        for file in 0..<2 {
            if let found = try find(in: file, of: files), try read(found, in: files, body) { return true }
        }
        return false
    }

    /// Throws an error if the next group was durable but is missing, or if it is missing although nothing can have removed it.
    ///
    /// Another process may be writing the files. The error then counts only if the next group is still missing later,
    /// and if the environment has absorbed no groups in between.
    func requireNothingMissing(in files: TailFiles) throws {
        guard let later = try files.groupAfterMissing(last) else { return }
        throw DataStoreError.damagedLog("lacks group \(last + 1) of its tail, although it has group \(later)")
    }

    /// The place of the next group in the present round of a file, `nil` if the group is not in this file.
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

    /// Reads the group at `place` if it is the next one. Returns whether it is.
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
            last = frame.header.number
            end = frame.end
            self.place = Place(file: place.file, offset: place.offset + bytes.count, round: place.round)
            return true
        }
    }

    private func isNext(_ header: TailFrame.Header, _ place: Place) -> Bool {
        header.number == last + 1 && header.round == place.round && header.start == end
    }
}
