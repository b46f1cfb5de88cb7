/// Where a log ended when all of it was last durable, and whether unsynced writes began then: a file beside it, synced before
/// them.
///
/// Unsynced pages reach the device in any order, if they do at all. After a power loss pages of several ages may together look
/// like an earlier state of the log that is whole, and says so: what was durable before must still be in it.
struct DurableEnd {
    /// The id of the log's store, as text.
    private let store: String
    private let position: Position
    /// The uptime in which unsynced writes began, empty if none did.
    let boot: String

    private static let format = "tidelog 1"

    static func path(_ directory: String) -> String { directory + "/durable" }

    private var text: String { "\(Self.format)\n\(store)\n\(position.sequence)\n\(position.chain)\n\(boot)\n" }

    /// The end that is noted beside the log in `directory`, `nil` if none is.
    ///
    /// - Throws: ``DataStoreError`` with code `logDamaged` if the file does not hold one.
    init?(directory: String) throws {
        guard let text = try FileSystem.read(Self.path(directory)) else { return nil }
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count == 6, lines[0] == Self.format, let sequence = UInt64(lines[2]), let chain = UInt64(lines[3])
        else { throw EventLog.damaged("has a file \"durable\" beside it that cannot be read") }
        store = String(lines[1])
        boot = String(lines[4])
        position = Position(sequence: SequenceNumber(sequence), chain: chain)
    }

    /// The end of `log`, all of which is durable.
    ///
    /// - Parameter boot: The uptime in which unsynced writes follow, empty if none do.
    init(of log: EventLog, boot: String) {
        store = log.metadata.store.description
        position = log.head
        self.boot = boot
    }

    /// Whether the uptime ended amid unsynced writes to the log, which is in `directory`: then anything of it may be lost.
    func wasOpenUnsynced(in directory: String) -> Bool { Uptime.mayHaveEnded(boot, at: directory) }

    /// Notes the end beside the log in `directory`; durable when this returns.
    func write(to directory: String) throws { try FileSystem.write(text, to: Self.path(directory)) }

    /// What a log that ends at `head` lacks of what was durable; `nil` for nothing.
    func loss(in reader: LogReader, _ metadata: LogMetadata, head: SequenceNumber) throws -> String? {
        guard metadata.store.description == store else {
            return "has a file \"durable\" beside it that is another store's"
        }
        guard head >= position.sequence else {
            return "ends at event \(head), but event \(position.sequence) was durable"
        }
        // Below the floor there are holes.
        guard position.sequence > metadata.floor.sequence else { return nil }
        guard let event = try reader.event(at: position.sequence), event.chain == position.chain else {
            return "does not hold event \(position.sequence), which was durable"
        }
        return nil
    }
}
