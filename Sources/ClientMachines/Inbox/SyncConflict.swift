package import TidelogSchema

/// A conflict: two changes of one record, one local and one on the server.
package struct SyncConflict: Sendable, Hashable {
    /// The mutation that the server refused.
    package var local: OutgoingMutation
    /// The record on the server.
    package var remote: ServerRecord
    /// The event before the first local change of the record. Both changes started from its row. It is zero if there is none.
    package var base: SequenceNumber
    /// How often the mutation met a conflict: 1 for the first time.
    package var round: Int
}

extension SyncConflict {
    /// The decision about a conflict.
    package enum Decision: Sendable, Hashable {
        /// Keeps the server's record.
        case applyRemote
        /// Sends the local change again, starting from the server's version.
        case retryLocal
        /// Sends these values as an update, starting from the server's version.
        case retry([String: FieldValue?])
    }
}

extension SyncConflict {
    /// The merge of both changes by fields. A field that only one side changed gets that side's value. A field that both sides
    /// changed gets the server's value.
    ///
    /// - Parameter base: The row that both changes started from; `nil` if there is none.
    package func merged(from base: Record?) -> Decision {
        guard local.kind != .delete, let remote = remote.row else { return .applyRemote }
        let kept = local.fields.filter { name, value in
            guard let base else { return remote[name] == nil && value != nil }
            return remote[name] == base[name] && remote[name] != value
        }
        return kept.isEmpty ? .applyRemote : .retry(kept)
    }

    /// Whether the server's record already has the values that the mutation sets.
    package static func isDone(_ mutation: OutgoingMutation, by record: ServerRecord?) -> Bool {
        guard let record, let row = record.row else { return mutation.kind == .delete }
        // A server without versions does not tell which of two states is the later one.
        let isOther =
            mutation.stamp == nil
            ? record.version > mutation.baseVersion ?? 0 : record.version != mutation.baseVersion
        guard mutation.kind != .delete, isOther else { return false }
        return mutation.fields.allSatisfy { name, value in row[name] == value }
    }
}
