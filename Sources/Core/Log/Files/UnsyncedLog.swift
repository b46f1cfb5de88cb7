/// Support for logs that earlier versions wrote without syncs. After a power loss, any part of such a log may be
/// missing or damaged.
///
/// Such a log is verified once, when it is opened. From then on it is written with syncs.
enum UnsyncedLog {
    /// Throws an error if `log` was written without syncs and is damaged.
    static func check(_ log: EventLog) throws {
        let note = try Note(directory: log.files.directory)
        guard log.metadata.wasUnsynced || note != nil else { return }
        let report = try LogVerification.verify(log)
        if let damage = report.damaged.first {
            throw DataStoreError.damagedLog(
                "was written without syncs by an earlier version, and event \(damage.sequence) is damaged; the last good "
                    + "one is \(report.lastGood)")
        }
        guard let note, let loss = try log.withReader({ try note.loss(in: $0) }) else { return }
        throw DataStoreError.damagedLog(loss)
    }

    /// Whether an earlier version may have written to the log in `directory` without syncs.
    static func isNoted(in directory: String) throws -> Bool { try FileSystem.exists(Note.path(directory)) }

    /// Removes the file that marks the log as written without syncs.
    static func removeNote(of log: EventLog) throws { try FileSystem.removeTree(Note.path(log.files.directory)) }

    /// The last durable position of a log, as noted in a file of the log's directory.
    ///
    /// After a power loss, pages of different ages may look like a whole log in an earlier state. The check therefore
    /// requires that the log still contains the noted position.
    private struct Note {
        /// The id of the log's store, as text.
        private let store: String
        private let position: Position

        static func path(_ directory: String) -> String { directory + "/durable" }

        /// Reads the note in the log's `directory`. The result is `nil` if there is no note.
        init?(directory: String) throws {
            guard let text = try FileSystem.read(Self.path(directory)) else { return nil }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            guard lines.count == 6, lines[0] == "tidelog 1", let sequence = UInt64(lines[2]),
                let chain = UInt64(lines[3])
            else { throw DataStoreError.damagedLog("has a file \"durable\" next to it that cannot be read") }
            store = String(lines[1])
            position = Position(sequence: SequenceNumber(sequence), chain: chain)
        }

        /// A description of the durable events that the log lacks, `nil` if it lacks none.
        func loss(in reader: LogReader) throws -> String? {
            let metadata = try reader.metadata()
            guard metadata.store.description == store else {
                return "has a file \"durable\" next to it that belongs to another store"
            }
            let head = try reader.lastSequence()
            guard head >= position.sequence else {
                return "ends at event \(head), but event \(position.sequence) was durable"
            }
            // Below the floor events may be missing.
            guard position.sequence > metadata.floor.sequence else { return nil }
            guard let event = try reader.event(at: position.sequence), event.chain == position.chain else {
                return "does not hold event \(position.sequence), which was durable"
            }
            return nil
        }
    }
}
