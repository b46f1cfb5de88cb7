/// The end of a log that its environment does not have yet: groups that were written one behind the other to a file that is
/// there already.
///
/// Two files take turns. While the environment takes in what stands in one of them, groups go to the other.
///
/// Sound as `@unchecked Sendable`: only the writer calls this.
final class LogTail: @unchecked Sendable {
    let recent: RecentEvents
    /// `nil` for the log of a store in memory: its groups are in memory alone.
    private var directory: String?
    /// What the log says of itself: the tail's files name its store and incarnation.
    private let metadata: LogMetadata
    let isSynced: Bool
    /// How long each of the files may become.
    private let fileByteCount: Int
    /// Where the groups are in memory.
    let memory: TailMemory
    private var turns: [Turn] = [Turn(), Turn()]
    /// Which file the last group is in.
    private var current = 0
    /// The number of the last group, or a higher one that no group has.
    private var lastFrame: UInt64
    /// The number of the last group whose write failed, 0 if none did.
    private var lastFailed: UInt64 = 0

    /// One of the two files, and the groups that were written to it since it began again.
    private struct Turn {
        var file: TailFile?
        var segment: TailSegment?
    }

    /// - Parameters:
    ///   - directory: Where the log is; `nil` for groups in memory alone.
    ///   - metadata: What the log says of itself.
    ///   - isSynced: Whether each group is durable before it is acknowledged.
    ///   - fileByteCount: How long each of the files may become.
    ///   - absorbed: The last group that the environment has.
    init(directory: String?, of metadata: LogMetadata, isSynced: Bool, fileByteCount: Int, absorbed: UInt64) {
        precondition(fileByteCount <= TailFormat.maximumFileByteCount, "a file is no longer than the format says")
        (self.directory, self.metadata, self.isSynced) = (directory, metadata, isSynced)
        self.fileByteCount = fileByteCount
        memory = TailSegment.memory(capacity: fileByteCount)
        recent = RecentEvents(absorbed: absorbed)
        lastFrame = absorbed
    }

    /// Where a group of `byteCount` bytes goes: behind the last one, or to the beginning of a file; `nil` if there is no room
    /// before the environment has taken in what is there.
    func place(for byteCount: Int) -> TailPlace? {
        // The environment says that the number of a failed write is not used, before the next group is written.
        guard recent.isAbsorbed(lastFailed) else { return nil }
        if let segment = turns[current].segment, !recent.isAbsorbed(segment.lastFrame), byteCount <= segment.room {
            return TailPlace(file: current, isBeginning: false)
        }
        guard byteCount <= largestGroup else { return nil }
        for file in [current, 1 - current] where turns[file].segment.map({ recent.isAbsorbed($0.lastFrame) }) ?? true {
            return TailPlace(file: file, isBeginning: true)
        }
        return nil
    }

    /// The most bytes that a group may have.
    var largestGroup: Int { fileByteCount - TailFormat.fileHeaderByteCount }

    /// Writes a group to `place`, which was given for it, and publishes it.
    ///
    /// - Parameter start: Where the log ends before the group.
    /// - Throws: ``AppendFailure``; if it `failed`, nothing of the group remains.
    func append(
        _ batch: SealedEvents, moving consumers: [String: Position?], after start: Position, at place: TailPlace
    ) throws(AppendFailure) {
        let segment = segment(at: place, after: start)
        let frame = segment.prepare(
            batch, moving: consumers, number: lastFrame + 1, after: start,
            flags: isSynced ? TailFormat.followsDurable : 0)
        try write(frame, at: segment.end, file: place.file)
        current = place.file
        lastFrame += 1
        turns[current].segment = segment
        segment.add(lastFrame, byteCount: frame.count, eventCount: batch.count)
        recent.publish(segment, end: batch.end, moving: consumers)
    }

    private func segment(at place: TailPlace, after start: Position) -> TailSegment {
        if !place.isBeginning, let segment = turns[place.file].segment { return segment }
        precondition(
            turns[place.file].segment.map { recent.isAbsorbed($0.lastFrame) } ?? true,
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
            // A process that follows the log may have read the group already: its number is not given to another one.
            lastFrame += 1
            lastFailed = lastFrame
            recent.skip(lastFrame)
            // A group that was refused must not come back.
            do { try file.erase(at: offset, count: frame.count) } catch { throw AppendFailure.outcomeUnknown(error) }
            guard (error as? DataStoreError)?.code == .storageFull else { throw AppendFailure.outcomeUnknown(error) }
            throw AppendFailure.failed(error)
        }
    }

    /// The number for a group that goes to the environment without being written to the tail.
    var nextNumber: UInt64 { lastFrame + 1 }

    /// Notes that the group with the next number is in the environment, and every group before it.
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

    /// Whether one of the files is to be taken in, so that it can begin again before the other is full.
    var isHalfFull: Bool {
        turns[1 - current].segment.map { !recent.isAbsorbed($0.lastFrame) } ?? false
    }

    /// Goes on in the files of another directory. The environment has everything.
    func move(to directory: String) {
        precondition(recent.isAbsorbed(lastFrame), "a tail moves when it is empty")
        self.directory = directory
        turns = [Turn(), Turn()]
    }

    /// Closes the files. Nothing is written any more.
    func closeFiles() { for index in turns.indices { turns[index].file = nil } }

    /// Empties the files, whose groups the environment has: the next opening need not read them.
    func empty() {
        for turn in turns {
            guard let segment = turn.segment, recent.isAbsorbed(segment.lastFrame) else { continue }
            // If that fails, the next opening sees by the numbers of the groups that they are old.
            guard let file = turn.file, (try? file.erase(at: TailFormat.fileHeaderByteCount)) != nil else { continue }
            file.shrink()
        }
    }
}

/// Where a group goes.
struct TailPlace {
    /// Which of the two files.
    let file: Int
    /// Whether it is the first in its file.
    let isBeginning: Bool
}
