public import TidelogFoundation

extension TemporalText {
    /// The value of `date` in `timeZone`, with a precision of milliseconds.
    ///
    /// For a date, this is the calendar day in that time zone. The text of a time of day, or of a date and time, keeps
    /// the offset of the time zone.
    ///
    /// - Precondition: `date` is in the years -9999 to 9999.
    public init(_ date: Date, timeZone: TimeZone = .gmt) {
        self.init(Temporal.Instant(date), secondsFromUTC: Int64(timeZone.secondsFromGMT(for: date)))
    }

    /// The value of the present moment, in UTC.
    public static func now() -> Self { Self(Date()) }

    /// Parses a text in ISO 8601, as ``init(_:)-(String)`` does.
    public init(iso8601String: String) throws(TemporalError) { try self.init(iso8601String) }

    /// The stored text, in ISO 8601.
    public var iso8601String: String { text }

    /// The instant as a `Date` of Foundation. For a date this is its midnight. For a time of day it is that time on
    /// 2000-01-01 in UTC.
    public var foundationDate: Date { dayInstant.foundationDate }
}

extension Temporal.Timestamp {
    /// The last whole second at or before `date`.
    public init(_ date: Date) { self.init(seconds: Temporal.Instant(date).seconds) }

    /// The timestamp of the present moment.
    public static func now() -> Self { Self(Date()) }

    /// The instant as a `Date` of Foundation.
    public var foundationDate: Date { Temporal.Instant(seconds: seconds).foundationDate }

    /// The timestamp as a day and time in ISO 8601, in UTC.
    public var iso8601String: String { TemporalPrinter.dateTime(Temporal.Instant(seconds: seconds)) }
}

extension Temporal.Instant {
    /// The seconds of the years -9999 to 9999, which a text in ISO 8601 can name with four digits.
    package static let secondsWithText = Int64(-377_705_116_800)...Int64(253_402_300_799)

    /// The instant of `date`, to the nearest millisecond.
    fileprivate init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        let second = (milliseconds / 1_000).rounded(.down)
        precondition(
            second >= Double(Self.secondsWithText.lowerBound) && second <= Double(Self.secondsWithText.upperBound),
            "a date for a temporal lies in the years -9999 to 9999")
        self.init(seconds: Int64(second), nanoseconds: Int32(milliseconds - second * 1_000) * 1_000_000)
    }

    fileprivate var foundationDate: Date {
        Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
    }
}

extension Temporal.Date {
    /// The calendar day of `instant` on clocks that are `secondsFromUTC` ahead of UTC.
    public init(_ instant: Temporal.Instant, secondsFromUTC: Int64) {
        let day = (instant.seconds + secondsFromUTC).flooredQuotient(by: 86_400)
        let midnight = Temporal.Instant(seconds: day * 86_400)
        self.init(uncheckedText: TemporalPrinter.date(midnight), instant: midnight)
    }

    /// The midnight of the day.
    public var dayInstant: Temporal.Instant { instant }
}

extension Temporal.Time {
    private static let secondsOf2000: Int64 = 946_684_800

    /// The time of day of `instant` on clocks that are `secondsFromUTC` ahead of UTC.
    public init(_ instant: Temporal.Instant, secondsFromUTC: Int64) {
        let second = instant.seconds - instant.seconds.flooredQuotient(by: 86_400) * 86_400
        let local = Temporal.Instant(seconds: second + secondsFromUTC, nanoseconds: instant.nanoseconds)
        // The local time may belong to another day than the same time in UTC. It is therefore reduced to one day.
        let wrapped = local.seconds - local.seconds.flooredQuotient(by: 86_400) * 86_400
        self.init(
            uncheckedText: TemporalPrinter.time(local).dropLast() + TemporalPrinter.offset(secondsFromUTC),
            instant: Temporal.Instant(seconds: wrapped - secondsFromUTC, nanoseconds: instant.nanoseconds))
    }

    /// The time on 2000-01-01.
    public var dayInstant: Temporal.Instant {
        Temporal.Instant(seconds: instant.seconds + Self.secondsOf2000, nanoseconds: instant.nanoseconds)
    }
}

extension Temporal.DateTime {
    /// The date and time of `instant` on clocks that are `secondsFromUTC` ahead of UTC.
    public init(_ instant: Temporal.Instant, secondsFromUTC: Int64) {
        let local = Temporal.Instant(seconds: instant.seconds + secondsFromUTC, nanoseconds: instant.nanoseconds)
        self.init(
            uncheckedText: TemporalPrinter.dateTime(local).dropLast() + TemporalPrinter.offset(secondsFromUTC),
            instant: instant)
    }

    /// The time `milliseconds` after 1970-01-01T00:00:00Z. Its text always has three digits for the milliseconds, as a resolver
    /// of AppSync writes it.
    package init(milliseconds: Int64) {
        let seconds = milliseconds.flooredQuotient(by: 1_000)
        let rest = Int32(milliseconds - seconds * 1_000)
        self.init(
            uncheckedText: TemporalPrinter.dateTime(milliseconds: milliseconds),
            instant: Temporal.Instant(seconds: seconds, nanoseconds: rest * 1_000_000))
    }

    /// The instant itself.
    public var dayInstant: Temporal.Instant { instant }
}
