/// The names of the notes that the sync engine keeps in the log.
package enum NoteName {
    /// The server and the person that the store is synced with.
    package static let identity = "identity"

    /// The protocol of the server, if the server decided about it.
    package static let syncProtocol = "protocol"

    /// The mutation that is sent in a slot.
    package static func sent(_ slot: Int) -> String { sentPrefix + String(slot) }

    /// The failed tries of the mutation in a slot.
    package static func tries(_ slot: Int) -> String { triesPrefix + String(slot) }

    /// The change that was set aside. The name contains the number of its first event.
    package static func setAside(_ first: UInt64) -> String { setAsidePrefix + String(first) }

    /// The last complete sync of a model.
    package static func lastSync(_ model: String) -> String { lastSyncPrefix + model }

    /// The progress of the base query of a model.
    package static func progress(_ model: String) -> String { progressPrefix + model }

    /// The records that one page of the base query of a model contained.
    package static func seen(_ model: String, page: UInt32) -> String { seenPrefix(model) + String(page) }

    /// The slot in the name of a note that begins with `prefix`; `nil` if it has another name.
    package static func slot(in name: String, after prefix: String) -> Int? {
        name.hasPrefix(prefix) ? Int(name.dropFirst(prefix.count)) : nil
    }

    package static let sentPrefix = "sent."
    package static let triesPrefix = "tries."
    package static let setAsidePrefix = "aside."
    private static let lastSyncPrefix = "synced."
    private static let progressPrefix = "base."

    /// How the names of the notes about queries begin.
    package static let queryPrefixes = [lastSyncPrefix, progressPrefix, "seen."]

    static func seenPrefix(_ model: String) -> String { "seen.\(model)." }
}
