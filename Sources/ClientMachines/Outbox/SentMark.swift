package import TidelogSchema

/// The range of events from which a sent mutation was made. The mark is in the log before the mutation is sent. After a crash,
/// the same mutation is therefore sent again under the same id.
///
/// A store that was copied as files has the same incarnation as its copy, and later events of both have the same numbers. The
/// mark therefore also has a number that the two histories do not share.
package struct SentMark: NoteValue {
    /// The first event of the mutation.
    package var first: SequenceNumber
    /// The last event of the mutation. The id of the mutation contains its number.
    package var last: SequenceNumber
    /// How often the mutation was made: 1 for the first time, and one more after each conflict.
    package var attempt: UInt32
    /// The operation that the server is asked to perform.
    package var kind: PendingChange.Kind
    /// The version that the mutation started from; `nil` if the server had no version of the record.
    package var baseVersion: UInt64?
    /// The values from the resolution of a conflict; `nil` for the values of the events.
    package var fields: [String: FieldValue?]?
    /// A number in the id of the mutation: the chain value of the last event or, after the server knew the id with another
    /// content, a random number. It is `nil` in the marks of earlier versions, whose ids lack the number.
    package var distinction: UInt64?

    package init(
        first: SequenceNumber, last: SequenceNumber, attempt: UInt32 = 1, kind: PendingChange.Kind,
        baseVersion: UInt64? = nil,
        fields: [String: FieldValue?]? = nil, distinction: UInt64? = nil
    ) {
        self.first = first
        self.last = last
        self.attempt = attempt
        self.kind = kind
        self.baseVersion = baseVersion
        self.fields = fields
        self.distinction = distinction
    }

    package static let format: UInt8 = 2
    package static let formats: ClosedRange<UInt8> = 1...2
    package var layout: UInt8 { distinction == nil ? 1 : 2 }

    package init(from decoder: inout NoteDecoder) throws(NoteDecoder.Damage) {
        let (first, last, attempt) = (try decoder.sequence(), try decoder.sequence(), try decoder.number32())
        guard let kind = PendingChange.Kind(rawValue: try decoder.byte()), first <= last else {
            throw NoteDecoder.Damage()
        }
        self.init(
            first: first, last: last, attempt: attempt, kind: kind, baseVersion: try decoder.optionalNumber(),
            fields: try decoder.optional { (decoder) throws(NoteDecoder.Damage) in try decoder.fields() })
        if decoder.format > 1 { distinction = try decoder.number() }
    }

    package func encode(to encoder: inout NoteEncoder) {
        encoder.append(first)
        encoder.append(last)
        encoder.append(attempt)
        encoder.append(kind.rawValue)
        encoder.append(baseVersion)
        encoder.appendOptional(fields) { $0.append(fields: $1) }
        if let distinction { encoder.append(distinction) }
    }
}
