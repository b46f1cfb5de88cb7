/// The two files of a log's tail, for reading. Another process may be writing them.
struct TailFiles: Sendable {
    /// Where the log is.
    let directory: String
    private var files: [File?] = [nil, nil]
    /// The paths of files whose header is damaged, and which have no group that the environment lacks.
    private(set) var damaged: [String] = []

    private struct File {
        let reader: TailFileReader
        /// The file's header; `nil` as long as the file has none that is this log's.
        var header: TailHeader?
    }

    init(directory: String) { self.directory = directory }

    /// Opens the files that exist, and reads the headers that are not known yet.
    ///
    /// - Parameters:
    ///   - metadata: What the log's environment says of itself.
    ///   - absorbed: The number of the last group that the environment has.
    /// - Throws: ``DataStoreError``: `logDamaged` if a file is another store's, or if its header is damaged and a group
    ///   after `absorbed` is in it; `newerFormat`, `inputOutput`.
    mutating func open(_ metadata: LogMetadata, after absorbed: UInt64) throws {
        for index in files.indices {
            if files[index] == nil {
                files[index] = try TailFileReader(TailFormat.path(directory, index)).map { File(reader: $0) }
            }
            guard let file = files[index], file.header == nil else { continue }
            switch try TailHeader.found(in: file.reader.bytes(at: 0, count: TailFormat.fileHeaderByteCount)) {
            case .nothing: break
            case .damaged:
                // Without a group that the environment lacks the file means nothing. The next process that writes begins
                // it again.
                let places = TailPlaces(try file.reader.contents())
                guard try places.group(after: absorbed, from: 0) == nil else {
                    throw DataStoreError.damagedLog("has a tail whose first bytes are damaged")
                }
                let path = TailFormat.path(directory, index)
                if !damaged.contains(path) { damaged.append(path) }
            case .header(let header):
                guard header.store == metadata.store else {
                    throw DataStoreError.damagedLog("has a tail that is another store's")
                }
                // A backup that was copied over a store is not continued by the groups of that store.
                guard header.incarnation.map({ $0 == metadata.incarnation }) ?? true else { continue }
                files[index]?.header = header
            }
        }
    }

    /// Forgets files that were removed: another process has begun them again.
    mutating func forgetRemoved() {
        for index in files.indices where files[index]?.reader.isRemoved ?? false { files[index] = nil }
    }

    /// The header of a group that stands in the file with number `index` at `offset`, the file's first group by default;
    /// `nil` if there is none.
    func header(in index: Int, at offset: Int? = nil) throws -> TailFrameHeader? {
        guard let file = files[index], let start = file.header?.byteCount else { return nil }
        let offset = offset ?? start
        guard offset + TailFormat.frameHeaderByteCount <= TailFormat.maximumFileByteCount else { return nil }
        let bytes = try file.reader.bytes(at: offset, count: TailFormat.frameHeaderByteCount)
        return bytes.withUnsafeBytes { TailFrame.header($0, within: TailFormat.maximumFileByteCount - offset) }
    }

    /// Where the first group of the file with number `index` begins.
    func start(of index: Int) -> Int? { files[index]?.header?.byteCount }

    /// `count` bytes of the file with number `index` at `offset`, fewer at its end.
    func bytes(in index: Int, at offset: Int, count: Int) throws -> [UInt8] {
        try files[index]?.reader.bytes(at: offset, count: count) ?? []
    }

    /// The highest number of a group in the files, also of a group that power loss separated from the one it follows.
    func highestNumber() throws -> UInt64 {
        var highest: UInt64 = 0
        for (index, file) in files.enumerated() {
            guard let file, let start = file.header?.byteCount, try header(in: index) != nil else { continue }
            let round = try TailPlaces(try file.reader.contents()).round(from: start)
            highest = max(highest, round.last?.frame.header.number ?? 0)
        }
        return highest
    }

    /// The number of a group after `last` that was written when the group right after `last` was there; `nil` if there is
    /// none. Power loss takes only groups that were not durable, and without power loss nothing is lost.
    func groupAfterMissing(_ last: UInt64) throws -> UInt64? {
        for (index, file) in files.enumerated() {
            guard let file, let header = file.header, try !isEmpty(index, header) else { continue }
            let isKept = header.isOfPresentUptime(in: directory)
            let places = TailPlaces(try file.reader.contents())
            let found = try places.group(after: last + 1, from: header.byteCount) {
                isKept || $0.flags & TailFormat.followsDurable != 0
            }
            if let found { return found }
        }
        return nil
    }

    /// Whether the file was emptied when its log was closed, or never had a group: its first one is zeros.
    private func isEmpty(_ index: Int, _ header: TailHeader) throws -> Bool {
        try bytes(in: index, at: header.byteCount, count: TailFormat.frameHeaderByteCount).allSatisfy { $0 == 0 }
    }
}

/// Where groups stand in the bytes of a tail's file.
struct TailPlaces {
    private let bytes: [UInt8]

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The groups at `start` and after it that are whole and of one round.
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

    /// The number of a whole group with a higher number than `last` for which `isWanted` holds, in the round that begins
    /// at `start`, or in any round if no whole group is at `start`; `nil` if there is none.
    func group(
        after last: UInt64, from start: Int, where isWanted: (TailFrameHeader) -> Bool = { _ in true }
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

extension TailFrameHeader {
    /// Whether the group was written right after `last`, to the same file.
    func follows(_ last: TailFrameHeader) -> Bool { number == last.number + 1 && round == last.round }
}
