internal import Synchronization
internal import TidelogLMDB

/// The tail of a log that another process may be writing: copies the groups that the environment lacks.
///
/// The process that writes may overwrite a file while it is read here. What is read then is no frame, or one of another
/// round; the number of the group that the environment has by then tells if something was missed.
final class TailFollower: Sendable {
    private let state: Mutex<State>

    private struct State {
        var directory: String
        var readers: [TailFileReader?] = [nil, nil]
        var isChecked = [false, false]
        /// The groups that were read; those of the environment go now and then.
        var recent: RecentEvents?
        /// The place in the log after the last group that was read.
        var end = Position.start
        /// Where the next group of the round is expected, if one was read.
        var place: (file: Int, offset: Int, round: UInt64)?
    }

    init(directory: String) { state = Mutex(State(directory: directory)) }

    /// Goes on with the log in another directory.
    func follow(_ directory: String) { state.withLock { $0 = State(directory: directory) } }

    /// A look at the environment, as `transaction` sees it, with the groups behind it; `nil` if the tail was overwritten
    /// meanwhile, so that the look is to begin again. Then `transaction` has ended.
    func look(_ transaction: ReadTransaction, _ files: LogFiles) throws -> EventLog.Look? {
        do {
            let absorbed = try LogMetadata.absorbedGroup(transaction, files.keyspaces.meta)
            let recent = try state.withLock { try Self.read(&$0, after: absorbed, transaction, files) }
            // Taken in since, and maybe overwritten, so that something may be missing.
            let now = try files.withReader { try LogMetadata.absorbedGroup($0, files.keyspaces.meta) }
            guard now == absorbed else {
                files.end(transaction)
                return nil
            }
            return EventLog.Look(transaction: transaction, files: files, recent: recent)
        } catch {
            files.end(transaction)
            throw error
        }
    }

    /// The groups behind `absorbed`, with those that were written since the last look.
    private static func read(
        _ state: inout State, after absorbed: UInt64, _ transaction: ReadTransaction, _ files: LogFiles
    ) throws -> RecentEvents.View {
        let known = state.recent?.view ?? .empty
        if state.recent == nil || known.frame < absorbed {
            // Others than those that were read.
            state.recent = RecentEvents(absorbed: absorbed)
            state.end = try LogReader(transaction, files.keyspaces, .empty).storedEnd()
            state.place = nil
        } else if known.frame == absorbed {
            state.recent?.forget(upTo: known)
        } else {
            state.recent?.forgetRounds(upTo: absorbed)
        }
        guard let recent = state.recent else { return .empty }
        let store = try LogMetadata(transaction, files.keyspaces.meta).store
        while try readNext(&state, recent, store) {}
        let view = recent.view
        return recent.isAbsorbed(view) ? .empty : view
    }

    /// Reads the next group; returns whether there is one.
    private static func readNext(_ state: inout State, _ recent: RecentEvents, _ store: StoreID) throws -> Bool {
        if let place = state.place, try readFrame(&state, recent, place.file, place.offset, round: place.round) {
            return true
        }
        for file in 0..<2 {
            if state.readers[file] == nil {
                state.readers[file] = try TailFileReader(TailFormat.path(state.directory, file))
            }
            guard let reader = state.readers[file] else { continue }
            if !state.isChecked[file] {
                let header = try reader.bytes(at: 0, count: TailFormat.fileHeaderByteCount)
                state.isChecked[file] = try header.withUnsafeBytes { try TailHeader.check($0, store) }
            }
            guard state.isChecked[file] else { continue }
            if try readRound(&state, recent, file, reader) { return true }
        }
        return false
    }

    /// Looks for the next group in the round that begins in a file; returns whether it is there.
    private static func readRound(
        _ state: inout State, _ recent: RecentEvents, _ file: Int, _ reader: TailFileReader
    ) throws -> Bool {
        let next = max(recent.view.frame, recent.absorbedFrame) + 1
        var offset = TailFormat.fileHeaderByteCount
        var last: TailFrameHeader?
        while let header = try header(reader, at: offset), header.number <= next {
            if let last { guard header.follows(last) else { return false } }
            if header.number == next {
                return try readFrame(&state, recent, file, offset, round: header.round)
            }
            last = header
            offset += Int(header.length)
        }
        return false
    }

    private static func header(_ reader: TailFileReader, at offset: Int) throws -> TailFrameHeader? {
        guard offset + TailFormat.frameHeaderByteCount <= TailFormat.maximumFileByteCount else { return nil }
        let bytes = try reader.bytes(at: offset, count: TailFormat.frameHeaderByteCount)
        return bytes.withUnsafeBytes { TailFrame.header($0, within: TailFormat.maximumFileByteCount - offset) }
    }

    /// Reads the group at a place, if it is the next one; returns whether it is.
    private static func readFrame(
        _ state: inout State, _ recent: RecentEvents, _ file: Int, _ offset: Int, round: UInt64
    ) throws -> Bool {
        let next = max(recent.view.frame, recent.absorbedFrame) + 1
        guard let reader = state.readers[file], let header = try header(reader, at: offset), header.number == next,
            header.round == round, header.start == state.end
        else { return false }
        let bytes = try reader.bytes(at: offset, count: Int(header.length))
        return try bytes.withUnsafeBytes { bytes in
            guard let frame = try TailFrame(bytes), frame.header.number == next, frame.header.round == round,
                frame.header.start == state.end
            else { return false }
            recent.publish(frame, bytes)
            state.end = frame.end
            state.place = (file, offset + bytes.count, round)
            return true
        }
    }
}
