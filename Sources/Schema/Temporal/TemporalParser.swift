/// Parses the ISO 8601 texts of AppSync's temporal scalars, byte by byte.
struct TemporalParser {
    private let bytes: [UInt8]
    private let kind: String
    private var position = 0

    static func parse(
        _ text: String, kind: String,
        _ body: (inout TemporalParser) throws(TemporalError) -> Temporal.Instant
    ) throws(TemporalError) -> Temporal.Instant {
        var parser = TemporalParser(bytes: Array(text.utf8), kind: kind)
        let instant = try body(&parser)
        guard parser.position == parser.bytes.count else { throw parser.failure }
        return instant
    }

    private init(bytes: [UInt8], kind: String) {
        self.bytes = bytes
        self.kind = kind
    }

    private var failure: TemporalError { TemporalError(kind: kind, offset: position) }

    /// Reads `yyyy-MM-dd` or `-yyyy-MM-dd`. Returns the days since 1970-01-01 in the proleptic Gregorian calendar, for the
    /// years -9999 … 9999. Year 0 is the year before year 1, and has no sign.
    mutating func day() throws(TemporalError) -> Int64 {
        let isNegative = accept("-")
        let digits = try number(digits: 4, in: (isNegative ? 1 : 0)...9999)
        let year = isNegative ? -digits : digits
        try expect("-")
        let month = try number(digits: 2, in: 1...12)
        try expect("-")
        let day = try number(digits: 2, in: 1...Self.days(in: month, of: year))
        return Self.daysSince1970(year: year, month: month, day: day)
    }

    /// Reads `HH:mm`, with an optional `:ss` and an optional fraction of one to nine digits.
    mutating func clock() throws(TemporalError) -> (seconds: Int64, nanoseconds: Int32) {
        let hour = try number(digits: 2, in: 0...23)
        try expect(":")
        let minute = try number(digits: 2, in: 0...59)
        guard accept(":") else { return (hour * 3_600 + minute * 60, 0) }
        let second = try number(digits: 2, in: 0...59)
        return (hour * 3_600 + minute * 60 + second, accept(".") ? try fraction() : 0)
    }

    /// Reads `Z`, `±hh`, `±hhmm`, `±hh:mm` or `±hh:mm:ss`, at most 18 hours. Returns the seconds east of UTC, or `nil`
    /// at the end of the text.
    package mutating func offset() throws(TemporalError) -> Int64? {
        if position == bytes.count { return nil }
        if accept("Z") { return 0 }
        let start = position
        let sign: Int64
        if accept("+") { sign = 1 } else if accept("-") { sign = -1 } else { throw failure }
        var seconds = try number(digits: 2, in: 0...18) * 3_600
        if position < bytes.count {
            let hasColon = accept(":")
            seconds += try number(digits: 2, in: 0...59) * 60
            if hasColon, accept(":") { seconds += try number(digits: 2, in: 0...59) }
        }
        guard seconds <= 18 * 3_600 else { throw TemporalError(kind: kind, offset: start) }
        return sign * seconds
    }

    mutating func expect(_ character: Unicode.Scalar) throws(TemporalError) {
        guard accept(character) else { throw failure }
    }

    private mutating func accept(_ character: Unicode.Scalar) -> Bool {
        guard position < bytes.count, UInt32(bytes[position]) == character.value else { return false }
        position += 1
        return true
    }

    private mutating func fraction() throws(TemporalError) -> Int32 {
        var value: Int32 = 0
        var digits = 0
        while position < bytes.count, let digit = Self.digit(bytes[position]) {
            guard digits < 9 else { throw failure }
            value = value * 10 + Int32(digit)
            digits += 1
            position += 1
        }
        guard digits > 0 else { throw failure }
        for _ in digits..<9 { value *= 10 }
        return value
    }

    private mutating func number(digits: Int, in range: ClosedRange<Int64>) throws(TemporalError) -> Int64 {
        let start = position
        var value: Int64 = 0
        for _ in 0..<digits {
            guard position < bytes.count, let digit = Self.digit(bytes[position]) else { throw failure }
            value = value * 10 + Int64(digit)
            position += 1
        }
        guard range.contains(value) else { throw TemporalError(kind: kind, offset: start) }
        return value
    }

    private static func digit(_ byte: UInt8) -> UInt8? { (48...57).contains(byte) ? byte - 48 : nil }

    static func days(in month: Int64, of year: Int64) -> Int64 {
        switch month {
        case 2: (year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    /// The algorithm counts whole 400-year eras of 146,097 days. Its years begin in March, so that the leap day is the
    /// last day of a year.
    static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        let marchYear = month <= 2 ? year - 1 : year
        let era = (marchYear >= 0 ? marchYear : marchYear - 399) / 400
        let yearOfEra = marchYear - era * 400
        let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }
}
