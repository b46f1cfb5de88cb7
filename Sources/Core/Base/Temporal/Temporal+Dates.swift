#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

extension TemporalText {
    /// The value of `date`, to the millisecond, by the clocks of `timeZone`.
    ///
    /// A day is the one that it is there. A time of day, and a day with its time, keep the zone's offset in their text.
    ///
    /// - Precondition: `date` lies in the years 0 to 9999.
    public init(_ date: Date, timeZone: TimeZone = .gmt) {
        self.init(Temporal.Instant(date), secondsFromUTC: Int64(timeZone.secondsFromGMT(for: date)))
    }

    /// The value of this moment, by the clocks of UTC.
    public static func now() -> Self { Self(Date()) }

    /// Reads a text in ISO 8601, as ``init(_:)-(String)``.
    public init(iso8601String: String) throws(TemporalError) { try self.init(iso8601String) }

    /// The text as it is kept, in ISO 8601.
    public var iso8601String: String { text }

    /// The instant as Foundation has it; that of a day is its midnight, and a time of day is one of 2000-01-01 in UTC.
    public var foundationDate: Date { dayInstant.foundationDate }
}

extension Temporal.Timestamp {
    /// The last whole second at or before `date`.
    public init(_ date: Date) { self.init(seconds: Temporal.Instant(date).seconds) }

    /// The timestamp of this moment.
    public static func now() -> Self { Self(Date()) }

    /// The instant as Foundation has it.
    public var foundationDate: Date { Temporal.Instant(seconds: seconds).foundationDate }

    /// The timestamp as a day and time in ISO 8601, in UTC.
    public var iso8601String: String { TemporalPrinter.dateTime(Temporal.Instant(seconds: seconds)) }
}

extension Temporal.Instant {
    /// The years that a text of ISO 8601 can name with four digits: 0 to 9999.
    static let secondsWithText = Int64(-62_167_219_200)...Int64(253_402_300_799)

    /// The instant of `date`, to the nearest millisecond.
    fileprivate init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        let second = (milliseconds / 1_000).rounded(.down)
        precondition(
            second >= Double(Self.secondsWithText.lowerBound) && second <= Double(Self.secondsWithText.upperBound),
            "a date for a temporal lies in the years 0 to 9999")
        self.init(seconds: Int64(second), nanoseconds: Int32(milliseconds - second * 1_000) * 1_000_000)
    }

    fileprivate var foundationDate: Date {
        Date(timeIntervalSince1970: Double(seconds) + Double(nanoseconds) / 1_000_000_000)
    }
}

extension Temporal.Date {
    /// The day that `instant` is part of on clocks which are `secondsFromUTC` ahead of UTC.
    public init(_ instant: Temporal.Instant, secondsFromUTC: Int64) {
        let day = (instant.seconds + secondsFromUTC).flooredQuotient(by: 86_400)
        let midnight = Temporal.Instant(seconds: day * 86_400)
        self.init(uncheckedText: TemporalPrinter.date(midnight), instant: midnight)
    }

    /// The day's midnight.
    public var dayInstant: Temporal.Instant { instant }
}

extension Temporal.Time {
    private static let secondsOf2000: Int64 = 946_684_800

    /// The time of day that `instant` has on clocks which are `secondsFromUTC` ahead of UTC.
    public init(_ instant: Temporal.Instant, secondsFromUTC: Int64) {
        let second = instant.seconds - instant.seconds.flooredQuotient(by: 86_400) * 86_400
        let local = Temporal.Instant(seconds: second + secondsFromUTC, nanoseconds: instant.nanoseconds)
        // On the local clock's day the same time may be of another day in UTC.
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
    /// The day and time that `instant` has on clocks which are `secondsFromUTC` ahead of UTC.
    public init(_ instant: Temporal.Instant, secondsFromUTC: Int64) {
        let local = Temporal.Instant(seconds: instant.seconds + secondsFromUTC, nanoseconds: instant.nanoseconds)
        self.init(
            uncheckedText: TemporalPrinter.dateTime(local).dropLast() + TemporalPrinter.offset(secondsFromUTC),
            instant: instant)
    }

    /// The instant itself.
    public var dayInstant: Temporal.Instant { instant }
}
