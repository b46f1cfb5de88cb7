extension Temporal {
    /// A number of days or months that can be added to a date, or to a date and time.
    public struct DateUnit: Sendable, Hashable {
        let days: Int
        let months: Int

        /// One day.
        public static let oneDay = days(1)
        /// Seven days.
        public static let oneWeek = weeks(1)
        /// One month of the calendar.
        public static let oneMonth = months(1)
        /// One year of the calendar.
        public static let oneYear = years(1)

        /// `value` days.
        public static func days(_ value: Int) -> DateUnit { DateUnit(days: value, months: 0) }
        /// `value` times seven days.
        public static func weeks(_ value: Int) -> DateUnit { DateUnit(days: value * 7, months: 0) }
        /// `value` calendar months. If the resulting month does not have the day, the result is the last day of the month.
        public static func months(_ value: Int) -> DateUnit { DateUnit(days: 0, months: value) }
        /// `value` calendar years. 29 February becomes 28 February if the resulting year has no 29 February.
        public static func years(_ value: Int) -> DateUnit { DateUnit(days: 0, months: value * 12) }
    }

    /// A duration that can be added to a time of day, or to a date and time.
    public struct TimeUnit: Sendable, Hashable {
        let seconds: Int64
        /// The nanoseconds after the whole second, 0 … 999,999,999.
        let nanoseconds: Int32

        /// One hour.
        public static let oneHour = hours(1)
        /// One minute.
        public static let oneMinute = minutes(1)
        /// One second.
        public static let oneSecond = seconds(1)
        /// One millisecond.
        public static let oneMillisecond = milliseconds(1)
        /// One nanosecond.
        public static let oneNanosecond = nanoseconds(1)

        /// `value` hours.
        public static func hours(_ value: Int) -> TimeUnit { TimeUnit(seconds: Int64(value) * 3_600, nanoseconds: 0) }
        /// `value` minutes.
        public static func minutes(_ value: Int) -> TimeUnit { TimeUnit(seconds: Int64(value) * 60, nanoseconds: 0) }
        /// `value` seconds.
        public static func seconds(_ value: Int) -> TimeUnit { TimeUnit(seconds: Int64(value), nanoseconds: 0) }
        /// `value` milliseconds.
        public static func milliseconds(_ value: Int) -> TimeUnit { parts(Int64(value), of: 1_000) }
        /// `value` nanoseconds.
        public static func nanoseconds(_ value: Int) -> TimeUnit { parts(Int64(value), of: 1_000_000_000) }

        private static func parts(_ value: Int64, of second: Int64) -> TimeUnit {
            let whole = value.flooredQuotient(by: second)
            return TimeUnit(seconds: whole, nanoseconds: Int32((value - whole * second) * (1_000_000_000 / second)))
        }
    }
}

extension Temporal.Instant {
    /// The instant that is later by `sign` times `unit`, in the calendar of UTC.
    fileprivate func adding(_ unit: Temporal.DateUnit, times sign: Int64) -> Temporal.Instant {
        let day = seconds.flooredQuotient(by: 86_400)
        let second = seconds - day * 86_400
        var date = TemporalPrinter.civil(day)
        let month = date.year * 12 + date.month - 1 + sign * Int64(unit.months)
        date.year = month.flooredQuotient(by: 12)
        date.month = month - date.year * 12 + 1
        date.day = min(date.day, TemporalParser.days(in: date.month, of: date.year))
        let reached =
            TemporalParser.daysSince1970(year: date.year, month: date.month, day: date.day) + sign * Int64(unit.days)
        precondition(
            (-9_999...9_999).contains(TemporalPrinter.civil(reached).year),
            "a day of a temporal lies in the years -9999 to 9999")
        return Temporal.Instant(seconds: reached * 86_400 + second, nanoseconds: nanoseconds)
    }

    /// The instant that is later by `sign` times `unit`.
    fileprivate func adding(_ unit: Temporal.TimeUnit, times sign: Int64) -> Temporal.Instant {
        let nanoseconds = Int64(nanoseconds) + sign * Int64(unit.nanoseconds)
        let carry = nanoseconds.flooredQuotient(by: 1_000_000_000)
        return Temporal.Instant(
            seconds: seconds + sign * unit.seconds + carry, nanoseconds: Int32(nanoseconds - carry * 1_000_000_000))
    }
}

extension TemporalText {
    fileprivate func adding(_ unit: Temporal.DateUnit, times sign: Int64) -> Self {
        Self(instant.adding(unit, times: sign), secondsFromUTC: 0)
    }

    fileprivate func adding(_ unit: Temporal.TimeUnit, times sign: Int64) -> Self {
        Self(instant.adding(unit, times: sign), secondsFromUTC: 0)
    }
}

extension Temporal.Date {
    /// The day `unit` later.
    public static func + (date: Self, unit: Temporal.DateUnit) -> Self { date.adding(unit, times: 1) }

    /// The day `unit` earlier.
    public static func - (date: Self, unit: Temporal.DateUnit) -> Self { date.adding(unit, times: -1) }
}

extension Temporal.DateTime {
    /// The day and time `unit` later, in UTC.
    public static func + (dateTime: Self, unit: Temporal.DateUnit) -> Self { dateTime.adding(unit, times: 1) }

    /// The day and time `unit` earlier, in UTC.
    public static func - (dateTime: Self, unit: Temporal.DateUnit) -> Self { dateTime.adding(unit, times: -1) }

    /// The day and time `unit` later, in UTC.
    public static func + (dateTime: Self, unit: Temporal.TimeUnit) -> Self { dateTime.adding(unit, times: 1) }

    /// The day and time `unit` earlier, in UTC.
    public static func - (dateTime: Self, unit: Temporal.TimeUnit) -> Self { dateTime.adding(unit, times: -1) }
}

extension Temporal.Time {
    /// The time of day that is later by `unit`, in UTC. After midnight it continues from 00:00.
    public static func + (time: Self, unit: Temporal.TimeUnit) -> Self { time.adding(unit, times: 1) }

    /// The time of day that is earlier by `unit`, in UTC. Before midnight it continues backwards from 24:00.
    public static func - (time: Self, unit: Temporal.TimeUnit) -> Self { time.adding(unit, times: -1) }
}
