internal import TidelogCore

extension BinaryInteger {
    /// The number with its digits in groups of three: `34,006`.
    package var grouped: String {
        let digits = String(magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return self < 0 ? "-" + text : text
    }
}

/// A count with its noun: `1 record`, `2 records`. `plural` is for nouns whose plural does not end in s.
package func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(count.grouped) \(count == 1 ? noun : plural ?? noun + "s")"
}

/// A list of names for a message. A long list is cut after the first names.
package func listed(_ names: [String]) -> String {
    let shownCount = 20
    let shown = names.prefix(shownCount).joined(separator: ", ")
    return names.count > shownCount ? "\(shown) and \((names.count - shownCount).grouped) more" : shown
}

/// The time `microseconds` after the start of 1970 as `2026-11-21T18:04:56.123456Z`.
package func timestamp(microseconds: Int64) -> String {
    let day = microseconds.flooredQuotient(by: 86_400_000_000)
    let date = TemporalPrinter.civil(day)
    let rest = microseconds - day * 86_400_000_000
    let time = rest / 1_000_000
    let fraction = rest % 1_000_000
    let padded = TemporalPrinter.padded
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
        + "\(padded(time / 3_600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2)).\(padded(fraction, 6))Z"
}
