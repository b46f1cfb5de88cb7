package import TidelogSchema

/// A mutation in the form in which it is sent: one GraphQL operation.
package struct OutgoingMutation: Sendable, Hashable {
    /// The record.
    package var reference: RecordReference
    /// The operation that the server is asked to perform.
    package var kind: PendingChange.Kind
    /// The values that are set, `nil` for null; the key is not among them.
    package var fields: [String: FieldValue?]
    /// The condition of the change, as text.
    package var condition: String?
    /// The version that the change started from.
    package var baseVersion: UInt64?
    /// The id of the mutation on this device. It is the same each time that the mutation is sent.
    package var id: MutationID
    /// The number that the mark of the mutation has (``SentMark/distinction``).
    package var distinction: UInt64?
    /// The stamp that the record must still have at a server without versions; `nil` if it is not known, or for a creation,
    /// unless the server keeps a deleted record with the id.
    package var stamp: RecordStamp?

    package init(
        _ reference: RecordReference, _ kind: PendingChange.Kind, fields: [String: FieldValue?] = [:],
        condition: String? = nil, baseVersion: UInt64? = nil, id: MutationID, distinction: UInt64? = nil
    ) {
        self.reference = reference
        self.kind = kind
        self.fields = fields
        self.condition = condition
        self.baseVersion = baseVersion
        self.id = id
        self.distinction = distinction
    }

    /// The server's operation that makes the change. A deletion that marks the record is an update, and so is the creation of a
    /// record that the server keeps as a deleted one.
    package var operation: PendingChange.Kind {
        switch kind {
        // Only a mark is a value of a deletion.
        case .delete where !fields.isEmpty: .update
        case .create where stamp != nil: .update
        default: kind
        }
    }

    /// The id under which the mutation is sent to the server. No other mutation has it, not even a mutation of another copy of
    /// the store.
    package var sentID: String {
        "\(id.incarnation)-\(id.sequence)" + (distinction.map { "-\($0)" } ?? "")
    }

    /// The tag that a record of a model with tags gets by this mutation. It differs in each round of a conflict, and between
    /// two copies of a store that decide a conflict in different ways.
    package var tag: String {
        var content = NoteEncoder(format: 1)
        content.append(baseVersion)
        content.append(fields: fields)
        return "\(sentID)-\(String(content.bytes.stableHash, radix: 36))"
    }

    /// Makes the mutation for `fold`; `nil` if the changes cancel each other out.
    ///
    /// - Parameters:
    ///   - row: The record's row after the last of the changes; `nil` for a deletion.
    ///   - model: The record's model.
    package init?(_ fold: Fold, row: Record?, model: SyncModels.Model, baseVersion: UInt64?) {
        guard let kind = fold.kind else { return nil }
        self.init(
            fold.reference, kind, fields: Self.fields(fold.fields, of: row, kind, model), condition: fold.condition,
            baseVersion: kind == .create ? nil : baseVersion, id: fold.mutation, distinction: fold.chain)
    }

    /// The values that a change sets, for the fields that a client may set.
    package static func fields(
        _ names: Fold.Fields, of row: Record?, _ kind: PendingChange.Kind, _ model: SyncModels.Model
    ) -> [String: FieldValue?] {
        guard kind != .delete, let row else { return [:] }
        var fields: [String: FieldValue?] = [:]
        fields.reserveCapacity(model.writable.count)
        for name in model.writable where !model.key.contains(name) {
            switch names {
            case .named(let names): if names.contains(name) { fields.updateValue(row[name], forKey: name) }
            case .all: if kind == .update || row[name] != nil { fields.updateValue(row[name], forKey: name) }
            }
        }
        return fields
    }
}
