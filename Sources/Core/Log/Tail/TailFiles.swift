/// The two files of a log's tail, open for reading. Another process may be writing them.
struct TailFiles: Sendable {
    /// The directory of the log.
    let directory: String
    private var files: [File?] = [nil, nil]
    /// The paths of files whose header is damaged. These files contain no group that the environment lacks.
    private(set) var damaged: [String] = []

    private struct File {
        let reader: TailFileReader
        /// The header of the file, `nil` as long as the file has no header of this log.
        var header: TailHeader?
    }

    init(directory: String) { self.directory = directory }

    /// Opens the files that exist, and reads the headers that are not known yet.
    ///
    /// - Parameters:
    ///   - metadata: The metadata in the log's environment.
    ///   - absorbed: The number of the last group that the environment has.
    /// - Throws: ``DataStoreError`` with code `logDamaged` if a file belongs to another store, or if its header is
    ///   damaged and the file has a group after `absorbed`. Other codes are `newerFormat` and `inputOutput`.
    mutating func open(_ metadata: LogMetadata, after absorbed: UInt64) throws {
        for index in files.indices {
            if files[index] == nil {
                files[index] = try TailFileReader(TailFormat.path(directory, index)).map { File(reader: $0) }
            }
            guard let file = files[index], file.header == nil else { continue }
            switch try TailHeader.found(in: file.reader.bytes(at: 0, count: TailFormat.fileHeaderByteCount)) {
            case .nothing: break
            case .damaged:
                // A file without a group that the environment lacks can be ignored. The next process that writes begins
                // the file again.
                let contents = TailFileContents(try file.reader.contents())
                guard try contents.group(after: absorbed, from: 0) == nil else {
                    throw DataStoreError.damagedLog("has a tail whose first bytes are damaged")
                }
                let path = TailFormat.path(directory, index)
                if !damaged.contains(path) { damaged.append(path) }
            case .header(let header):
                guard header.store == metadata.store else {
                    throw DataStoreError.damagedLog("has a tail that is another store's")
                }
                // If a backup was copied over a store, the groups of that store do not continue the backup.
                guard header.incarnation.map({ $0 == metadata.incarnation }) ?? true else { continue }
                files[index]?.header = header
            }
        }
    }

    /// Forgets files that were removed, because another process has begun them again.
    mutating func forgetRemoved() {
        for index in files.indices where files[index]?.reader.isRemoved ?? false { files[index] = nil }
    }

    /// The header of the group at `offset` in the file with number `index`. Without an offset, this is the first group
    /// of the file. The result is `nil` if there is no group.
    func header(in index: Int, at offset: Int? = nil) throws -> TailFrame.Header? {
        guard let file = files[index], let start = file.header?.byteCount else { return nil }
        let offset = offset ?? start
        guard offset + TailFormat.frameHeaderByteCount <= TailFormat.maximumFileByteCount else { return nil }
        let bytes = try file.reader.bytes(at: offset, count: TailFormat.frameHeaderByteCount)
        return bytes.withUnsafeBytes { TailFrame.header($0, within: TailFormat.maximumFileByteCount - offset) }
    }

    /// The offset of the first group in the file with number `index`.
    func start(of index: Int) -> Int? { files[index]?.header?.byteCount }

    /// Reads `count` bytes at `offset` in the file with number `index`. At the end of the file, there are fewer.
    func bytes(in index: Int, at offset: Int, count: Int) throws -> [UInt8] {
        try files[index]?.reader.bytes(at: offset, count: count) ?? []
    }

    /// The highest number of a group in the files. A group also counts if a power loss removed the group before it.
    func highestNumber() throws -> UInt64 {
        var highest: UInt64 = 0
        for (index, file) in files.enumerated() {
            guard let file, let start = file.header?.byteCount, try header(in: index) != nil else { continue }
            let round = try TailFileContents(try file.reader.contents()).round(from: start)
            highest = max(highest, round.last?.frame.header.number ?? 0)
        }
        return highest
    }

    /// The number of a group after `last` that proves that the group right after `last` was lost. `nil` if there is no
    /// such group.
    ///
    /// A power loss only removes groups that were not durable. Without a power loss, no group is lost. The proof is
    /// therefore a group that was written after everything before it was durable, or any group of the present uptime.
    func groupAfterMissing(_ last: UInt64) throws -> UInt64? {
        for (index, file) in files.enumerated() {
            guard let file, let header = file.header, try !isEmpty(index, header) else { continue }
            let isKept = header.isOfPresentUptime(in: directory)
            let contents = TailFileContents(try file.reader.contents())
            let found = try contents.group(after: last + 1, from: header.byteCount) {
                isKept || $0.flags & TailFormat.followsDurable != 0
            }
            if let found { return found }
        }
        return nil
    }

    /// Whether the file is empty, because it never had a group, or was emptied when its log was closed. The header of
    /// its first group is then zeros.
    private func isEmpty(_ index: Int, _ header: TailHeader) throws -> Bool {
        try bytes(in: index, at: header.byteCount, count: TailFormat.frameHeaderByteCount).allSatisfy { $0 == 0 }
    }
}
