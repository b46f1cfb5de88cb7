#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension UUID: FieldRepresentable {
    /// The UUID's text in upper case, as Foundation writes it. In a primary key, an `ID` with such a text takes 16 bytes.
    public var storedValue: String { uuidString }

    /// The UUID that `storedValue` names, in upper or lower case.
    public init?(storedValue: String) { self.init(uuidString: storedValue) }
}

extension Date: FieldRepresentable {
    /// Seconds from 1970 to Foundation's reference date, 2001-01-01T00:00:00Z.
    private static let secondsFrom1970: Int64 = 978_307_200

    /// The instant to the nanosecond, in UTC.
    ///
    /// - Precondition: the date lies in the years -9999 to 9999.
    public var storedValue: Temporal.DateTime {
        let whole = timeIntervalSinceReferenceDate.rounded(.down)
        precondition(abs(whole) < 1e12, "a date of a record lies in the years -9999 to 9999")
        let nanoseconds = Int64(((timeIntervalSinceReferenceDate - whole) * 1e9).rounded())
        let seconds = Int64(whole) + Self.secondsFrom1970 + nanoseconds / 1_000_000_000
        precondition(
            Temporal.Instant.secondsWithText.contains(seconds), "a date of a record lies in the years -9999 to 9999")
        let instant = Temporal.Instant(seconds: seconds, nanoseconds: Int32(nanoseconds % 1_000_000_000))
        return Temporal.DateTime(uncheckedText: TemporalPrinter.dateTime(instant), instant: instant)
    }

    /// The date of `storedValue`.
    public init?(storedValue: Temporal.DateTime) {
        let instant = storedValue.instant
        self.init(
            timeIntervalSinceReferenceDate: Double(instant.seconds - Self.secondsFrom1970)
                + Double(instant.nanoseconds) / 1e9)
    }
}

extension Data: FieldRepresentable {
    /// The bytes in Base64 (RFC 4648, section 4).
    public var storedValue: String { base64EncodedString() }

    /// The bytes that `storedValue` encodes in Base64.
    public init?(storedValue: String) { self.init(base64Encoded: storedValue) }
}
