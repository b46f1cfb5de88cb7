/// The newest groups of a log, which its environment has not absorbed yet.
///
/// The groups are appended to a file that already exists. There are two files. While the environment absorbs the groups
/// of one file, new groups go to the other.
///
/// Sound as `@unchecked Sendable` because only the writer calls it.
final class LogTail: @unchecked Sendable {
    let recent: RecentEvents
    /// The directory of the log. The value is `nil` for a store in memory, whose groups are only in memory.
    private var directory: String?
    /// The log's metadata. The headers of the tail's files name its store and incarnation.
    private let metadata: LogMetadata
    let isSynced: Bool
    /// The largest size of each file.
    private let fileByteCount: Int
    /// The memory for the groups.
    let memory: TailMemory
    private var turns: [Turn] = [Turn(), Turn()]
    /// The number of the file that contains the last group.
    private var current = 0
    /// The number of the last group. After a failed write it may be a higher number that belongs to no group.
    private var lastFrame: UInt64
    /// The number of the last group whose write failed, 0 if there is none.
    private var lastFailed: UInt64 = 0

    /// One of the two files, and the groups that were written to it in its present round.
    private struct Turn {
        var file: TailFile?
        var segment: TailSegment?
    }

    /// - Parameters:
    ///   - directory: The directory of the log, `nil` if the groups are only in memory.
    ///   - metadata: The log's metadata.
    ///   - isSynced: Whether each group is durable before it is acknowledged.
    ///   - fileByteCount: The largest size of each file.
    ///   - absorbed: The number of the last group that the environment has.
    init(directory: String?, of metadata: LogMetadata, isSynced: Bool, fileByteCount: Int, absorbed: UInt64) {
        precondition(fileByteCount <= TailFormat.maximumFileByteCount, "a file is no longer than the format says")
        (self.directory, self.metadata, self.isSynced) = (directory, metadata, isSynced)
        self.fileByteCount = fileByteCount
        memory = TailSegment.memory(capacity: fileByteCount)
        recent = RecentEvents(absorbed: absorbed)
        lastFrame = absorbed
    }

    /// The location for a group of `byteCount` bytes: after the last group, or at the beginning of a file.
    ///
    /// - Returns: `nil` if there is no room until the environment has absorbed the groups in the files.
    func location(for byteCount: Int) -> FrameLocation? {
        // After a failed write, the environment must first note that the number of the failed group is not used.
        guard recent.isAbsorbed(lastFailed) else { return nil }
        if let segment = turns[current].segment, !recent.isAbsorbed(segment.lastFrame), byteCount <= segment.room {
            return FrameLocation(file: current, isBeginning: false)
        }
        guard byteCount <= largestGroup else { return nil }
        for file in [current, 1 - current] where turns[file].segment.map({ recent.isAbsorbed($0.lastFrame) }) ?? true {
            return FrameLocation(file: file, isBeginning: true)
        }
        return nil
    }

    /// The largest size of a group in bytes.
    var largestGroup: Int { fileByteCount - TailFormat.fileHeaderByteCount }

    /// Writes a group at `location`, which ``location(for:)`` returned for it, and publishes the group.
    ///
    /// - Parameter start: The end of the log before the group.
    /// - Throws: ``AppendFailure``. If it is `failed`, no part of the group remains.
    func append(
        _ batch: SealedEvents, moving consumers: [String: Position?], after start: Position, at location: FrameLocation
    ) throws(AppendFailure) {
        let segment = segment(at: location, after: start)
        let frame = segment.prepare(
            batch, moving: consumers, number: lastFrame + 1, after: start,
            flags: isSynced ? TailFormat.followsDurable : 0)
        try write(frame, at: segment.end, file: location.file)
        current = location.file
        lastFrame += 1
        turns[current].segment = segment
        segment.add(lastFrame, byteCount: frame.count, eventCount: batch.count)
        recent.publish(segment, end: batch.end, moving: consumers)
    }

    private func segment(at location: FrameLocation, after start: Position) -> TailSegment {
        if !location.isBeginning, let segment = turns[location.file].segment { return segment }
        precondition(
            turns[location.file].segment.map { recent.isAbsorbed($0.lastFrame) } ?? true,
            "a file begins again once the environment has its groups")
        return TailSegment(
            after: start.sequence, round: .random(in: 1 ... .max), from: TailFormat.fileHeaderByteCount,
            capacity: fileByteCount, in: memory)
    }

    private func write(_ frame: UnsafeRawBufferPointer, at offset: Int, file index: Int) throws(AppendFailure) {
        guard directory != nil else { return }
        let file: TailFile
        do {
            file = try self.file(index)
            try file.lengthen(to: offset + frame.count)
        } catch {
            throw AppendFailure.failed(error)
        }
        do { try file.write(frame, at: offset) } catch {
            // A process that follows the log may already have read the group, so that its number is not used for
            // another group.
            lastFrame += 1
            lastFailed = lastFrame
            recent.skip(lastFrame)
            // A group whose write failed must not reappear.
            do { try file.erase(at: offset, count: frame.count) } catch { throw AppendFailure.outcomeUnknown(error) }
            guard (error as? DataStoreError)?.code == .storageFull else { throw AppendFailure.outcomeUnknown(error) }
            throw AppendFailure.failed(error)
        }
    }

    /// The number for a group that goes directly to the environment.
    var nextNumber: UInt64 { lastFrame + 1 }

    /// Notes that the environment has the group with the next number, and all groups before it.
    func noteAbsorbedGroup() {
        lastFrame += 1
        recent.noteAbsorbed(lastFrame)
    }

    private func file(_ index: Int) throws -> TailFile {
        if let file = turns[index].file { return file }
        guard let directory else { preconditionFailure("groups in memory alone need no file") }
        let header = TailHeader(
            store: metadata.store, incarnation: metadata.incarnation, uptime: Uptime(of: directory).text)
        let file = try TailFile(
            TailFormat.path(directory, index), header: header, maximumByteCount: fileByteCount, isSynced: isSynced)
        turns[index].file = file
        return file
    }

    /// Whether one of the files must be absorbed, so that it can begin again before the other file is full.
    var isHalfFull: Bool {
        turns[1 - current].segment.map { !recent.isAbsorbed($0.lastFrame) } ?? false
    }

    /// Switches to files in another directory. The environment must have absorbed all groups.
    func move(to directory: String) {
        precondition(recent.isAbsorbed(lastFrame), "a tail moves when it is empty")
        self.directory = directory
        turns = [Turn(), Turn()]
    }

    /// Closes the files. No group is written after that.
    func closeFiles() { for index in turns.indices { turns[index].file = nil } }

    /// Empties the files whose groups the environment has absorbed, so that the next opening need not read them.
    func empty() {
        for turn in turns {
            guard let segment = turn.segment, recent.isAbsorbed(segment.lastFrame) else { continue }
            // If this fails, the next opening sees by the numbers of the groups that they are absorbed already.
            guard let file = turn.file, (try? file.erase(at: TailFormat.fileHeaderByteCount)) != nil else { continue }
            file.shrink()
        }
    }
}

/// The location of a group in the files of the tail.
struct FrameLocation {
    /// The number of the file, 0 or 1.
    let file: Int
    /// Whether the group is the first one in the file.
    let isBeginning: Bool
}
