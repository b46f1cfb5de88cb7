internal import Tidelog

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
    let day = microseconds.flooredQuotient(by: 86_400_000_000)
    let date = TemporalPrinter.civil(day)
    let rest = microseconds - day * 86_400_000_000
    let time = rest / 1_000_000
    let fraction = rest % 1_000_000
    let padded = TemporalPrinter.padded
    return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T"
        + "\(padded(time / 3_600, 2)):\(padded(time / 60 % 60, 2)):\(padded(time % 60, 2)).\(padded(fraction, 6))Z"
}
