package import TidelogCore

/// Which events a mutation that is sent was folded from. It is in the log before the mutation goes out, so after a crash
/// the same mutation goes out again under the same id.
package struct SentMark: NoteValue {
    /// The first event of the mutation.
    package var first: SequenceNumber
    /// The last event of the mutation, which gives it its id.
    package var last: SequenceNumber
    /// How often the mutation was made: 1 for the first time, one more after each conflict.
    package var attempt: UInt32
    /// The operation that the server is asked for.
    package var kind: ChangeKind
    /// The version that the mutation started from; `nil` if the server had no version of the record.
    package var baseVersion: UInt64?
    /// The values that a conflict was resolved to; `nil` for the values of the events.
    package var fields: [String: FieldValue?]?

    package init(
        first: SequenceNumber, last: SequenceNumber, attempt: UInt32 = 1, kind: ChangeKind, baseVersion: UInt64? = nil,
        fields: [String: FieldValue?]? = nil
    ) {
        (self.first, self.last, self.attempt, self.kind) = (first, last, attempt, kind)
        (self.baseVersion, self.fields) = (baseVersion, fields)
    }

    package static let format: UInt8 = 1

    package init(from decoder: inout NoteDecoder) throws(NoteDecoder.Damage) {
        let (first, last, attempt) = (try decoder.sequence(), try decoder.sequence(), try decoder.number32())
        guard let kind = ChangeKind(rawValue: try decoder.byte()), first <= last else { throw NoteDecoder.Damage() }
        self.init(
            first: first, last: last, attempt: attempt, kind: kind, baseVersion: try decoder.optionalNumber(),
            fields: try decoder.optional { (decoder) throws(NoteDecoder.Damage) in try decoder.fields() })
    }

    package func encode(to encoder: inout NoteEncoder) {
        encoder.append(first)
        encoder.append(last)
        encoder.append(attempt)
        encoder.append(kind.rawValue)
        encoder.append(baseVersion)
        encoder.appendOptional(fields) { $0.append(fields: $1) }
    }
}
