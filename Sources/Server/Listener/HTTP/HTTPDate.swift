internal import TidelogCore
internal import TidelogPlatform

/// The format of times in header fields: RFC 9110, section 5.6.7.
enum HTTPDate {
    /// The current time of the system's clock.
    static func secondsSince1970() -> Int { time(nil) }

    /// The text for `seconds` since 1970.
    static func text(_ seconds: Int) -> String {
        let day = Int64(seconds).flooredQuotient(by: 86_400)
        let date = TemporalPrinter.civil(day)
        let rest = Int64(seconds) - day * 86_400
        let time = [rest / 3_600, rest / 60 % 60, rest % 60].map(twoDigits).joined(separator: ":")
        // 1970-01-01 was a Thursday.
        let weekday = day + 4 - (day + 4).flooredQuotient(by: 7) * 7
        return
            "\(weekdays[Int(weekday)]), \(twoDigits(date.day)) \(months[Int(date.month) - 1]) \(date.year) \(time) GMT"
    }

    private static func twoDigits(_ number: Int64) -> String { TemporalPrinter.padded(number, 2) }

    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
}
