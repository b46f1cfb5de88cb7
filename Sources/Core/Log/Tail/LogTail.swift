/// The newest groups of a log, which its environment has not absorbed yet.
///
/// The groups are appended to a file that already exists. There are two files. While the environment absorbs the groups
/// of one file, new groups go to the other. The faster groups come, the longer the rounds become, so that a slow writer
/// takes little memory.
final class LogTail {
    /// A round with this many bytes ends as soon as the other file can begin again.
    static let ordinaryRoundByteCount = 2 << 20
    private let recent: RecentEvents
    /// The directory of the log. The value is `nil` for a store in memory, whose groups are only in memory.
    private var directory: String?
    /// The log's metadata. The headers of the tail's files name its store and incarnation.
    private let metadata: LogMetadata
    let isSynced: Bool
    /// The largest size of each file.
    private let fileByteCount: Int
    /// The memory for the groups.
    let memory: TailSegment.Memory
    private var rounds: [Round] = [Round(), Round()]
    /// The number of the file that contains the last group.
    private var current = 0
    /// The number of the last group whose write failed, 0 if there is none.
    private var lastFailed: UInt64 = 0
    /// The header of the files in the directory, `nil` until it is needed.
    private var knownHeader: TailHeader?

    /// One of the two files, and the groups that were written to it in its present round.
    private struct Round {
        var file: TailFile?
        /// The number of the last group, 0 if there is none.
        var lastFrame: UInt64 = 0
        /// The offset of the next group.
        var end = 0
    }

    /// - Parameters:
    ///   - directory: The directory of the log, `nil` if the groups are only in memory.
    ///   - state: The state of the log. Its recent events are the groups of this tail.
    ///   - isSynced: Whether each group is durable before it is acknowledged.
    ///   - fileByteCount: The largest size of each file.
    init(directory: String?, of state: LogState, isSynced: Bool, fileByteCount: Int) {
        precondition(fileByteCount <= TailFormat.maximumFileByteCount, "a file is no longer than the format says")
        self.directory = directory
        metadata = state.metadata
        recent = state.recent
        self.isSynced = isSynced
        self.fileByteCount = fileByteCount
        memory = TailSegment.memory(capacity: fileByteCount)
    }

    /// The location for a group of `byteCount` bytes: after the last group, or at the beginning of a file.
    ///
    /// - Returns: `nil` if there is no room until the environment has absorbed the groups in the files.
    func location(for byteCount: Int) -> FrameLocation? {
        // After a failed write, the environment must first note that the number of the failed group is not used.
        guard recent.isAbsorbed(lastFailed) else { return nil }
        guard byteCount <= largestGroup else { return nil }
        if canBegin(current) { return FrameLocation(file: current, isBeginning: true) }
        let (end, other) = (rounds[current].end, 1 - current)
        let isFull = byteCount > fileByteCount - end
        if isFull || end >= Self.ordinaryRoundByteCount, canBegin(other) {
            return FrameLocation(file: other, isBeginning: true)
        }
        return isFull ? nil : FrameLocation(file: current, isBeginning: false)
    }

    /// Whether the environment has all groups of a file, so that the file can begin again.
    private func canBegin(_ file: Int) -> Bool { recent.isAbsorbed(rounds[file].lastFrame) }

    /// The largest size of a group in bytes.
    var largestGroup: Int { fileByteCount - TailFormat.fileHeaderByteCount }

    /// Writes a group at `location`, which ``location(for:)`` returned for it, and publishes the group.
    ///
    /// - Throws: ``AppendFailure``. If it is `failed`, no part of the group remains.
    func append(
        _ group: SealedEvents, moving consumers: [String: Position?], at location: FrameLocation
    ) throws(AppendFailure) {
        let end = recent.end
        precondition(end.isFollowed(by: group), "events are appended right after the head")
        let number = end.group + 1
        let segment = segment(at: location, after: end.position)
        let frame = segment.prepare(
            group, moving: consumers, number: number, after: end.position,
            flags: isSynced ? TailFormat.followsDurable : 0)
        try write(frame, number, of: segment, file: location.file)
        segment.add(number, byteCount: frame.count, eventCount: group.count)
        current = location.file
        (rounds[current].lastFrame, rounds[current].end) = (number, segment.end)
        recent.publish(segment, end: group.end, moving: consumers)
    }

    private func segment(at location: FrameLocation, after start: Position) -> TailSegment {
        if !location.isBeginning, let segment = recent.lastSegment { return segment }
        // The environment may have absorbed the groups of this file after the location was chosen.
        precondition(canBegin(location.file), "a file begins again once the environment has its groups")
        return TailSegment(
            after: start.sequence, round: .random(in: 1 ... .max), header: directory.map { header(in: $0).bytes } ?? [],
            capacity: fileByteCount, in: memory)
    }

    private func write(
        _ frame: UnsafeRawBufferPointer, _ number: UInt64, of segment: TailSegment, file index: Int
    ) throws(AppendFailure) {
        guard directory != nil else { return }
        let offset = segment.end
        let file: TailFile
        do {
            file = try self.file(index)
            try file.lengthen(to: offset + frame.count)
        } catch {
            throw AppendFailure.failed(error)
        }
        let (bytes, start) = file.isDirect ? segment.blocks(of: frame) : (frame, offset)
        do { try file.write(bytes, at: start) } catch {
            // A process that follows the log may already have read the group, so that its number is not used for another group.
            lastFailed = number
            recent.skip(upTo: number)
            // A group whose write failed must not reappear.
            do { try file.erase(at: offset, count: frame.count) } catch { throw AppendFailure.outcomeUnknown(error) }
            guard (error as? DataStoreError)?.code == .storageFull else { throw AppendFailure.outcomeUnknown(error) }
            throw AppendFailure.failed(error)
        }
    }

    private func file(_ index: Int) throws -> TailFile {
        if let file = rounds[index].file { return file }
        guard let directory else { preconditionFailure("groups in memory alone need no file") }
        let file = try TailFile(
            TailFormat.path(directory, index), header: header(in: directory), maximumByteCount: fileByteCount,
            isSynced: isSynced)
        rounds[index].file = file
        return file
    }

    private func header(in directory: String) -> TailHeader {
        if let knownHeader { return knownHeader }
        let header = TailHeader(
            store: metadata.store, incarnation: metadata.incarnation, uptime: Uptime(of: directory).text)
        knownHeader = header
        return header
    }

    /// Whether one of the files must be absorbed, so that it can begin again before the other file is full.
    var isHalfFull: Bool { !canBegin(1 - current) }

    /// Switches to files in another directory. The environment must have absorbed all groups.
    func move(to directory: String) {
        precondition(recent.isAbsorbed(recent.view), "a tail moves when it is empty")
        self.directory = directory
        rounds = [Round(), Round()]
        knownHeader = nil
    }

    /// Closes the files. No group is written after that.
    func closeFiles() { for index in rounds.indices { rounds[index].file = nil } }

    /// Empties the files whose groups the environment has absorbed, so that the next opening need not read them.
    func empty() {
        for round in rounds where round.lastFrame > 0 && recent.isAbsorbed(round.lastFrame) {
            // If this fails, the next opening sees by the numbers of the groups that they are absorbed already.
            guard let file = round.file, (try? file.erase(at: TailFormat.fileHeaderByteCount)) != nil else { continue }
            file.shrink()
        }
    }

    /// The location of a group in the files of the tail.
    struct FrameLocation: Equatable {
        /// The number of the file, 0 or 1.
        let file: Int
        /// Whether the group is the first one in the file.
        let isBeginning: Bool
    }
}
