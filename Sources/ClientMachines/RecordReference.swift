package import TidelogSchema

/// The identity of a record: its model and its id.
package struct RecordReference: Sendable, Hashable {
    /// The name of the record's model.
    package let model: String
    /// The record's id.
    package let id: RecordID

    package init(model: String, id: RecordID) { (self.model, self.id) = (model, id) }

    /// A hash of the reference that is the same in every process: FNV-1a over its encoding.
    package var stableHash: UInt64 {
        var encoder = NoteEncoder()
        encoder.append(self)
        return encoder.bytes.stableHash
    }
}
