package import TidelogSchema

/// The progress of a base query. A device that was killed continues from there.
package struct BaseProgress: NoteValue {
    /// The time of the first page, by the server's clock in milliseconds.
    package var startedAt: Int64
    /// The place where the next page begins; `nil` if all pages are in the log and the removal of missing records has begun.
    package var nextToken: String?
    /// How many records the pages contained.
    package var recordCount: UInt64
    /// How many pages there were.
    package var pageCount: UInt32
    /// Whether a page had an unusable record.
    package var hasGaps: Bool
    /// The fields and the records that the queries asked for, as a text.
    package var expression: String
    /// The last event before the query began; the largest number if it is not known.
    package var receivedThrough: SequenceNumber

    package init(
        startedAt: Int64, nextToken: String?, recordCount: UInt64, pageCount: UInt32, hasGaps: Bool = false,
        expression: String, receivedThrough: SequenceNumber
    ) {
        self.startedAt = startedAt
        self.nextToken = nextToken
        self.recordCount = recordCount
        self.pageCount = pageCount
        self.hasGaps = hasGaps
        self.expression = expression
        self.receivedThrough = receivedThrough
    }

    package static let format: UInt8 = 2
    package static let formats: ClosedRange<UInt8> = 1...2
    package var layout: UInt8 { isPlaceKnown ? 2 : 1 }

    private var isPlaceKnown: Bool { receivedThrough < SequenceNumber(.max) }

    package init(from decoder: inout NoteDecoder) throws(NoteDecoder.Damage) {
        self.init(
            startedAt: try decoder.signedNumber(), nextToken: try decoder.optionalText(),
            recordCount: try decoder.number(), pageCount: try decoder.number32(), hasGaps: try decoder.flag(),
            expression: try decoder.text(), receivedThrough: SequenceNumber(.max))
        if decoder.format > 1 { receivedThrough = try decoder.sequence() }
    }

    package func encode(to encoder: inout NoteEncoder) {
        encoder.append(startedAt)
        encoder.append(nextToken)
        encoder.append(recordCount)
        encoder.append(pageCount)
        encoder.append(hasGaps)
        encoder.append(expression)
        if isPlaceKnown { encoder.append(receivedThrough) }
    }
}
