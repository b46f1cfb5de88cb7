/// The way in which an engine and its server agree about the states of records.
public enum SyncProtocol: String, Sendable, Hashable, CaseIterable {
    /// The server decides: an API without versions gets the protocol ``timestamps``, any other API the protocol ``versioned``.
    /// The engine notes the choice in the store.
    case automatic
    /// The API has conflict detection: versions, sync queries, and deletions that leave a mark.
    case versioned
    /// The API has no versions, as the APIs of Amplify Gen 2. The field `updatedAt` tells the states of a record apart, and
    /// every change is made on the condition that the record is still in the state from which the change started.
    case timestamps
}

extension SyncProtocol {
    /// Whether the server's records have versions, as far as it is known.
    package var hasVersions: Bool { self != .timestamps }
}

extension SyncProtocol: NoteValue {
    package static var format: UInt8 { 1 }

    package init(from decoder: inout NoteDecoder) throws(NoteDecoder.Damage) {
        self = try decoder.flag() ? .versioned : .timestamps
    }

    package func encode(to encoder: inout NoteEncoder) {
        assert(self != .automatic, "only a choice is noted")
        encoder.append(self == .versioned)
    }
}
