package import TidelogSchema

/// A change that the server refused, with all data that is needed to try it again or to discard it.
package struct SetAsideChange: NoteValue {
    /// The record.
    package var reference: RecordReference
    /// The requested operation.
    package var kind: PendingChange.Kind
    /// The values to set, `nil` for null; empty for a deletion.
    package var fields: [String: FieldValue?]
    /// The condition of the change, as text.
    package var condition: String?
    /// The version that the change started from.
    package var baseVersion: UInt64?
    /// The server's message.
    package var reason: String
    /// The server's name for the kind of error.
    package var errorType: String
    /// How often the mutation was made: 1 for the first time, and one more after each conflict.
    package var attempts: UInt32
    /// The first event of the change. The name of the note contains its number.
    package var first: SequenceNumber
    /// The last event of the change. Later events of the record do not belong to it.
    package var last: SequenceNumber
    /// Whether the record's row still contains the change, so that the record waits for a decision. Later changes are added to
    /// this one, and pushes of the server do not change the row.
    package var holdsRow: Bool
    /// The record on the server, as far as it is known; `nil` if the server has none.
    package var server: ServerRecord?

    package init(
        _ reference: RecordReference, _ kind: PendingChange.Kind, fields: [String: FieldValue?],
        condition: String? = nil,
        baseVersion: UInt64? = nil, reason: String, errorType: String, attempts: UInt32 = 1, first: SequenceNumber,
        last: SequenceNumber, holdsRow: Bool, server: ServerRecord? = nil
    ) {
        self.reference = reference
        self.kind = kind
        self.fields = fields
        self.condition = condition
        self.baseVersion = baseVersion
        self.reason = reason
        self.errorType = errorType
        self.attempts = attempts
        self.first = first
        self.last = last
        self.holdsRow = holdsRow
        self.server = server
    }

    /// The name of the note.
    package var noteName: String { NoteName.setAside(first.value) }
}

extension SetAsideChange {
    package static let format: UInt8 = 1

    package init(from decoder: inout NoteDecoder) throws(NoteDecoder.Damage) {
        let reference = try decoder.reference()
        guard let kind = PendingChange.Kind(rawValue: try decoder.byte()) else { throw NoteDecoder.Damage() }
        self.init(
            reference, kind, fields: try decoder.fields(), condition: try decoder.optionalText(),
            baseVersion: try decoder.optionalNumber(), reason: try decoder.text(), errorType: try decoder.text(),
            attempts: try decoder.number32(), first: try decoder.sequence(), last: try decoder.sequence(),
            holdsRow: try decoder.flag(),
            server: try decoder.optional { (decoder) throws(NoteDecoder.Damage) in try decoder.serverRecord() })
        guard first <= last else { throw NoteDecoder.Damage() }
    }

    package func encode(to encoder: inout NoteEncoder) {
        encoder.append(reference)
        encoder.append(kind.rawValue)
        encoder.append(fields: fields)
        encoder.append(condition)
        encoder.append(baseVersion)
        encoder.append(reason)
        encoder.append(errorType)
        encoder.append(attempts)
        encoder.append(first)
        encoder.append(last)
        encoder.append(holdsRow)
        encoder.appendOptional(server) { $0.append($1) }
    }
}

extension SetAsideChange {
    /// The reason why a change was set aside.
    package struct Reason: Sendable, Hashable {
        /// The name of the kind of error, from the server or from the engine.
        package var errorType: String
        /// A description of the reason, as a sentence.
        package var message: String

        package init(_ errorType: String, _ message: String) { (self.errorType, self.message) = (errorType, message) }

        /// The kind of error and the description. AppSync's errors for invalid requests have no kind.
        package var text: String { errorType.isEmpty ? message : "\(errorType): \(message)" }
    }
}
