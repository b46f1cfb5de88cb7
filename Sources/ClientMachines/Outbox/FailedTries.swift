package import TidelogSchema

/// The server's answers to a mutation that it could not make at that time.
///
/// The tries are in a note, so that they are counted across restarts of the engine and the outbox's list shows them.
package struct FailedTries: NoteValue {
    /// The first event of the mutation.
    package var first: SequenceNumber
    /// How often the server answered with such an error.
    package var count: UInt32
    /// The time of the first of these answers, in milliseconds since 1970-01-01T00:00:00Z by this device's clock.
    package var since: Int64
    /// The latest error.
    package var reason: SetAsideChange.Reason

    package init(first: SequenceNumber, count: UInt32 = 0, since: Int64, reason: SetAsideChange.Reason) {
        self.first = first
        self.count = count
        self.since = since
        self.reason = reason
    }

    package static let format: UInt8 = 1

    package init(from decoder: inout NoteDecoder) throws(NoteDecoder.Damage) {
        self.init(
            first: try decoder.sequence(), count: try decoder.number32(), since: try decoder.signedNumber(),
            reason: SetAsideChange.Reason(try decoder.text(), try decoder.text()))
    }

    package func encode(to encoder: inout NoteEncoder) {
        encoder.append(first)
        encoder.append(count)
        encoder.append(since)
        encoder.append(reason.errorType)
        encoder.append(reason.message)
    }
}
