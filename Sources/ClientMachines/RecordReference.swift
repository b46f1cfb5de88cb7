package import TidelogSchema

/// The identity of a record: its model and its id.
package struct RecordReference: Sendable {
    /// The name of the record's model.
    package let model: String
    /// The record's id.
    package let id: RecordID
    /// The hash of both. It is computed once, because the machines look a record up many times.
    private let hash: Int

    package init(model: String, id: RecordID) {
        self.model = model
        self.id = id
        var hasher = Hasher()
        hasher.combine(model)
        hasher.combine(id)
        hash = hasher.finalize()
    }

    /// A hash of the reference that is the same in every process: FNV-1a over its encoding.
    package var stableHash: UInt64 { Self.stableHash(model, id) }

    /// The ``stableHash`` of a reference to a record, without the reference.
    package static func stableHash(_ model: String, _ id: RecordID) -> UInt64 {
        var encoder = NoteEncoder()
        encoder.reserve(64)
        encoder.append(model, id)
        return encoder.bytes.stableHash
    }
}

extension RecordReference: Hashable {
    package static func == (first: Self, second: Self) -> Bool {
        first.hash == second.hash && first.id == second.id && first.model == second.model
    }

    package func hash(into hasher: inout Hasher) { hasher.combine(hash) }
}
