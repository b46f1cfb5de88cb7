/// Prints instants in ISO 8601 and UTC. The fraction of a second has no more digits than it needs, in groups of three.
package enum TemporalPrinter {
    package static func date(_ instant: Temporal.Instant) -> String {
        let day = instant.seconds.flooredQuotient(by: 86_400)
        let date = civil(day)
        let sign = date.year < 0 ? "-" : ""
        return "\(sign)\(padded(abs(date.year), 4))-\(padded(date.month, 2))-\(padded(date.day, 2))Z"
    }

    package static func time(_ instant: Temporal.Instant) -> String {
        clock(instant.seconds - instant.seconds.flooredQuotient(by: 86_400) * 86_400, instant.nanoseconds) + "Z"
    }

    package static func dateTime(_ instant: Temporal.Instant) -> String {
        let day = date(instant).dropLast()
        return "\(day)T\(time(instant))"
    }

    /// The text that a resolver of AppSync writes for a time: always with three digits after the second.
    package static func dateTime(milliseconds: Int64) -> String {
        let seconds = milliseconds.flooredQuotient(by: 1_000)
        let whole = dateTime(Temporal.Instant(seconds: seconds)).dropLast()
        return "\(whole).\(padded(milliseconds - seconds * 1_000, 3))Z"
    }

    /// The text `Z` for 0, otherwise `±hh:mm`, followed by the seconds if they are not 0.
    package static func offset(_ secondsFromUTC: Int64) -> String {
        if secondsFromUTC == 0 { return "Z" }
        let seconds = abs(secondsFromUTC)
        let minutes = "\(padded(seconds / 3_600, 2)):\(padded(seconds / 60 % 60, 2))"
        return (secondsFromUTC < 0 ? "-" : "+") + minutes + (seconds % 60 == 0 ? "" : ":\(padded(seconds % 60, 2))")
    }

    private static func clock(_ seconds: Int64, _ nanoseconds: Int32) -> String {
        let whole = "\(padded(seconds / 3_600, 2)):\(padded(seconds / 60 % 60, 2)):\(padded(seconds % 60, 2))"
        guard nanoseconds > 0 else { return whole }
        var fraction = padded(Int64(nanoseconds), 9)
        while fraction.hasSuffix("000") { fraction.removeLast(3) }
        return "\(whole).\(fraction)"
    }

    /// The decimal digits of `value`, with zeros before them if there are fewer than `digits`.
    package static func padded(_ value: Int64, _ digits: Int) -> String {
        let text = String(value)
        return String(repeating: "0", count: max(0, digits - text.count)) + text
    }

    /// The inverse of the count of days since 1970-01-01. Both use 400-year eras whose years begin in March.
    package static func civil(_ day: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = day + 719_468
        let era = shifted.flooredQuotient(by: 146_097)
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * marchMonth + 2) / 5 + 1)
    }
}

extension Int64 {
    package func flooredQuotient(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
    }
}
