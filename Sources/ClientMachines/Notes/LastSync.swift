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
        self.startedAt = startedAt
        self.notedAt = notedAt
        self.expression = expression
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
