internal import Tidelog
internal import TidelogRecordText

extension BinaryInteger {
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
