package import TidelogCore

/// Two changes of one record, one made here and one on the server.
package struct SyncConflict: Sendable, Hashable {
    /// The mutation that the server refused.
    package var local: OutgoingMutation
    /// The record on the server.
    package var remote: ServerRecord
    /// The event before the first local change of the record, whose row both changes started from; zero if there is none.
    package var base: SequenceNumber
    /// How often the mutation met a conflict: 1 for the first time.
    package var round: Int
}

/// How a conflict ends.
package enum ConflictDecision: Sendable, Hashable {
    /// The server's record counts.
    case applyRemote
    /// The local change is sent again, from the server's version.
    case retryLocal
    /// These values are sent as an update, from the server's version.
    case retry([String: FieldValue?])
}

extension SyncConflict {
    /// The merge of both changes by fields: a field that changed on one side alone has that side's value, and one that
    /// changed on both has the server's.
    ///
    /// - Parameter base: The row that both changes started from; `nil` if there is none.
    package func merged(from base: Record?) -> ConflictDecision {
        guard local.kind != .delete, let remote = remote.row else { return .applyRemote }
        let kept = local.fields.filter { name, value in
            guard let base else { return remote[name] == nil && value != nil }
            return remote[name] == base[name] && remote[name] != value
        }
        return kept.isEmpty ? .applyRemote : .retry(kept)
    }

    /// Whether the server's record has what the mutation asks for already.
    package static func isDone(_ mutation: OutgoingMutation, by record: ServerRecord?) -> Bool {
        guard let record, let row = record.row else { return mutation.kind == .delete }
        guard mutation.kind != .delete, record.version > mutation.baseVersion ?? 0 else { return false }
        return mutation.fields.allSatisfy { name, value in row[name] == value }
    }
}
