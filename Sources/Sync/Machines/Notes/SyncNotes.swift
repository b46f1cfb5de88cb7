package import TidelogCore

/// The server and the person that a store is synced with. After a store was synced with one identity, it is not synced with
/// another.
package struct SyncIdentity: NoteValue {
    /// The address of the server.
    package var endpoint: String
    /// The issuer of the person's token; `nil` without a token.
    package var issuer: String?
    /// The subject of the person's token; `nil` without a token.
    package var subject: String?

    package init(endpoint: String, issuer: String? = nil, subject: String? = nil) {
        (self.endpoint, self.issuer, self.subject) = (endpoint, issuer, subject)
    }

    package static let format: UInt8 = 1

    package init(from decoder: inout NoteDecoder) throws(NoteDecoder.Damage) {
        self.init(
            endpoint: try decoder.text(), issuer: try decoder.optionalText(), subject: try decoder.optionalText())
    }

    package func encode(to encoder: inout NoteEncoder) {
        encoder.append(endpoint)
        encoder.append(issuer)
        encoder.append(subject)
    }
}

/// The last complete sync of a model.
package struct LastSync: NoteValue {
    /// The time at which the sync began, by the server's clock in milliseconds.
    package var startedAt: Int64
    /// The time at which the sync ended, by this device's clock in milliseconds.
    package var notedAt: Int64
    /// The fields and the records that the queries asked for, as a text.
    package var expression: String
    /// The time from which the next delta query asks for changes, by the server's clock in milliseconds. It is earlier than
    /// ``startedAt`` if the server's queries may overlook the latest changes. `nil` if it is not known.
    package var changesSince: Int64?

    package init(startedAt: Int64, notedAt: Int64, expression: String, changesSince: Int64? = nil) {
        (self.startedAt, self.notedAt, self.expression) = (startedAt, notedAt, expression)
        self.changesSince = changesSince
    }

    package static let format: UInt8 = 2
    package static let formats: ClosedRange<UInt8> = 1...2
    package var layout: UInt8 { changesSince == nil ? 1 : 2 }

    package init(from decoder: inout NoteDecoder) throws(NoteDecoder.Damage) {
        self.init(
            startedAt: try decoder.signedNumber(), notedAt: try decoder.signedNumber(), expression: try decoder.text())
        if decoder.format > 1 { changesSince = try decoder.signedNumber() }
    }

    package func encode(to encoder: inout NoteEncoder) {
        encoder.append(startedAt)
        encoder.append(notedAt)
        encoder.append(expression)
        if let changesSince { encoder.append(changesSince) }
    }
}

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
        (self.startedAt, self.nextToken, self.recordCount) = (startedAt, nextToken, recordCount)
        (self.pageCount, self.hasGaps, self.expression) = (pageCount, hasGaps, expression)
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

/// The records that one page of a base query contained, as hashes of their references.
package struct SeenRecords: NoteValue {
    /// The hashes, in the order of the page.
    package var hashes: [UInt64]

    package init(hashes: [UInt64]) { self.hashes = hashes }

    package static let format: UInt8 = 1

    package init(from decoder: inout NoteDecoder) throws(NoteDecoder.Damage) {
        hashes = []
        while !decoder.isAtEnd { hashes.append(try decoder.number()) }
    }

    package func encode(to encoder: inout NoteEncoder) {
        for hash in hashes { encoder.append(hash) }
    }
}
