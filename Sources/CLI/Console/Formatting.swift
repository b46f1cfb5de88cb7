extension BinaryInteger {
    /// The number with its digits in groups of three: `34,006`.
    var grouped: String {
        let digits = String(magnitude)
        var text = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { text += "," }
            text.append(digit)
        }
        return self < 0 ? "-" + text : text
    }

    /// The number as a count of bytes: `3.4 MiB`.
    var bytes: String {
        var value = Double(self)
        var unit = 0
        let units = ["bytes", "KiB", "MiB", "GiB", "TiB"]
        while value >= 1_024, unit < units.count - 1 {
            value /= 1_024
            unit += 1
        }
        return unit == 0 ? "\(self) bytes" : "\(value.fixed(1)) \(units[unit])"
    }
}

extension Double {
    /// The number with `places` digits after the decimal point.
    func fixed(_ places: Int) -> String {
        guard isFinite, magnitude < 1e15 else { return "\(self)" }
        var scale = 1
        for _ in 0..<places { scale *= 10 }
        let scaled = Int64((magnitude * Double(scale)).rounded())
        let whole = scaled / Int64(scale)
        guard places > 0 else { return (self < 0 ? "-" : "") + whole.grouped }
        let rest = String(scaled % Int64(scale))
        return (self < 0 ? "-" : "") + whole.grouped + "." + String(repeating: "0", count: places - rest.count) + rest
    }
}

extension Duration {
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }

    /// The duration for people to read: `812 µs`, `3.4 ms`, `1.24 s`, `2 min 5 s`.
    var short: String {
        let seconds = seconds
        if seconds < 0.001 { return "\((seconds * 1e6).fixed(0)) µs" }
        if seconds < 1 { return "\((seconds * 1e3).fixed(1)) ms" }
        if seconds < 100 { return "\(seconds.fixed(2)) s" }
        return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
    }
}

/// A count with its noun: `1 record`, `2 records`. `plural` is for nouns whose plural does not end in s.
func counted(_ count: Int, _ noun: String, _ plural: String? = nil) -> String {
    "\(count.grouped) \(count == 1 ? noun : plural ?? noun + "s")"
}

/// A list of names for a message. A long list is cut after the first names.
func listed(_ names: [String]) -> String {
    let shownCount = 20
    let shown = names.prefix(shownCount).joined(separator: ", ")
    return names.count > shownCount ? "\(shown) and \((names.count - shownCount).grouped) more" : shown
}

/// The time `microseconds` after the start of 1970 as `2026-11-21T18:04:56.123456Z`.
func timestamp(microseconds: Int64) -> String {
    let (seconds, fraction) = (microseconds.floorDivided(by: 1_000_000), microseconds.floorRemainder(by: 1_000_000))
    let (days, time) = (seconds.floorDivided(by: 86_400), seconds.floorRemainder(by: 86_400))
    // This is Howard Hinnant's days-to-civil algorithm, which uses eras of 400 years that begin in March.
    let shifted = days + 719_468
    let era = shifted.floorDivided(by: 146_097)
    let dayOfEra = shifted - era * 146_097
    let yearOfEra = (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(day, 2))T"
        + "\(padded(time / 3_600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2)).\(padded(fraction, 6))Z"
}

private func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
}

extension Int64 {
    fileprivate func floorDivided(by divisor: Int64) -> Int64 {
        self >= 0 ? self / divisor : -((-self + divisor - 1) / divisor)
    }

    fileprivate func floorRemainder(by divisor: Int64) -> Int64 { self - floorDivided(by: divisor) * divisor }
}
