internal import TidelogCore

/// The beginning of the text of a date or a time, such as `2026-02`: the range of instants whose texts in UTC begin with it.
struct TemporalPrefix {
    /// The first instant of the range, as a value of the field's type.
    let first: FieldValue
    /// The last instant of the range, as a value of the field's type.
    let last: FieldValue

    /// Makes the range of `text` for fields of `type`; `nil` if no text of a date or time in UTC begins with `text`, or if
    /// every text does.
    init?(_ text: String, of type: FieldType) {
        guard !text.isEmpty else { return nil }
        var reader = Reader(rest: text.utf8[...])
        var (days, times) = ((first: Self.epoch, last: Self.epoch), (first: "", last: ""))
        switch type {
        case .date:
            guard let read = reader.readDay() else { return nil }
            days = read
            times = (Self.firstTime, Self.lastTime)
        case .time:
            guard let read = reader.readTime(isFirst: true) else { return nil }
            times = read
        case .dateTime:
            guard let read = reader.readDay() else { return nil }
            days = read
            guard let read = reader.readTime(isFirst: false) else { return nil }
            times = read
        default: return nil
        }
        guard reader.rest.isEmpty, let first = Self.value("\(days.first)T\(times.first)Z", as: type),
            let last = Self.value("\(days.last)T\(times.last)Z", as: type)
        else { return nil }
        (self.first, self.last) = (first, last)
    }

    private static let epoch = "1970-01-01"
    private static let firstTime = "00:00:00"
    private static let lastTime = "23:59:59.999999999"

    /// The instant of `text` as a value of `type`. A day at UTC has values of all its instants, because a date may have an
    /// offset.
    private static func value(_ text: String, as type: FieldType) -> FieldValue? {
        guard let instant = try? Temporal.DateTime(text).instant else { return nil }
        return switch type {
        case .date: .date(Temporal.Date(uncheckedText: text, instant: instant))
        case .time: .time(Temporal.Time(uncheckedText: text, instant: instant))
        default: .dateTime(Temporal.DateTime(uncheckedText: text, instant: instant))
        }
    }

    /// Reads numbers of a fixed width. A number that the text cuts off is a range, and so is a number after the end of the
    /// text.
    private struct Reader {
        var rest: Substring.UTF8View

        typealias Range = (first: String, last: String)

        mutating func readDay() -> Range? {
            let isNegative = accept("-")
            guard let year = read(nil, width: 4, isNegative ? 1...9_999 : 0...9_999),
                let month = read("-", width: 2, 1...12)
            else { return nil }
            let years =
                isNegative ? ("-" + Self.padded(year.last, 4), "-" + Self.padded(year.first, 4)) : Self.padded(year, 4)
            let months = Self.padded(month, 2)
            let (first, last) = ("\(years.0)-\(months.first)", "\(years.1)-\(months.last)")
            guard let day = read("-", width: 2, 1...Self.dayCount(of: last)) else { return nil }
            return ("\(first)-\(Self.padded(day.first, 2))", "\(last)-\(Self.padded(day.last, 2))")
        }

        mutating func readTime(isFirst: Bool) -> Range? {
            guard let hour = read(isFirst ? nil : "T", width: 2, 0...23), let minute = read(":", width: 2, 0...59),
                let second = read(":", width: 2, 0...59), let fraction = read(".", width: 9, 0...999_999_999)
            else { return nil }
            let clock = { (place: (((first: Int, last: Int)) -> Int)) in
                [hour, minute, second].map { Self.padded(place($0), 2) }.joined(separator: ":")
                    + ".\(Self.padded(place(fraction), 9))"
            }
            return (clock { $0.first }, clock { $0.last })
        }

        /// Reads a number of `width` digits after a separator; `nil` if the text is not the beginning of one in `range`.
        private mutating func read(
            _ separator: Unicode.Scalar?, width: Int, _ range: ClosedRange<Int>
        ) -> (first: Int, last: Int)? {
            if rest.isEmpty { return (range.lowerBound, range.upperBound) }
            if let separator, !accept(separator) { return nil }
            let digits = rest.prefix(width).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            rest = rest.dropFirst(digits.count)
            guard digits.count == width || rest.isEmpty else { return nil }
            var (number, span) = (0, 1)
            for digit in digits { number = number * 10 + Int(digit - UInt8(ascii: "0")) }
            for _ in digits.count..<width { span *= 10 }
            let (first, last) = (max(number * span, range.lowerBound), min(number * span + span - 1, range.upperBound))
            return first <= last ? (first, last) : nil
        }

        private mutating func accept(_ character: Unicode.Scalar) -> Bool {
            guard let next = rest.first, UInt32(next) == character.value else { return false }
            rest.removeFirst()
            return true
        }

        /// The number of days of the month `month`, such as `2026-02`.
        private static func dayCount(of month: String) -> Int {
            [31, 30, 29].first { (try? Temporal.Date("\(month)-\($0)")) != nil } ?? 28
        }

        private static func padded(_ numbers: (first: Int, last: Int), _ width: Int) -> Range {
            (padded(numbers.first, width), padded(numbers.last, width))
        }

        private static func padded(_ number: Int, _ width: Int) -> String {
            let digits = String(number)
            assert(number >= 0 && digits.utf8.count <= width, "a number fits its width")
            return String(repeating: "0", count: width - digits.utf8.count) + digits
        }
    }
}
