import SeededNumbers
import TidelogCore

/// Random values. There are few different ones, so that rows are equal in some fields, and many of them are values that often
/// break stores.
extension SeededGenerator {
    mutating func text() -> String {
        if once(in: 12) { return longText() }
        let pieces = ["a", "b", "\u{0}", "\u{1}", "é", "e\u{301}", "\u{FFFF}", "\u{10FFFF}"]
        return (0..<below(4)).map { _ in pick(pieces) }.joined()
    }

    /// A text that is about as long as an index key may be, or as the part of it that remains after it was cut.
    mutating func longText() -> String {
        let count = pick([120, 240, 250, 251, 252, 253, 254, 255, 256, 480, 506, 507, 508, 509, 510, 600])
        return String(repeating: pick(["a", "a", "\u{0}", "é"]), count: count) + pick(["", "a", "b", "\u{0}"])
    }

    mutating func int() -> Int64 {
        switch below(4) {
        case 0: pick([.min, .min + 1, .max, .max - 1])
        case 1: pick([1, -1]) * (1 << 53) + Int64(below(5)) - 2
        default: Int64(below(7)) - 3
        }
    }

    mutating func double() -> Double {
        switch below(4) {
        case 0: pick([0x1p63, -0x1p63, 0x1p63 - 1_024, 1e300, -1e300, 0.1, .leastNonzeroMagnitude])
        case 1: pick([1, -1]) * 0x1p53 + Double(below(5)) * 2 - 4
        default: Double(below(13)) / 2 - 3
        }
    }

    /// A date and time. Some of the texts mean the same instant.
    mutating func dateTime() throws -> FieldValue {
        .dateTime(
            try Temporal.DateTime(
                pick([
                    "2026-11-21T10:30:00Z", "2026-11-21T11:30:00+01:00", "2026-11-21T10:30:00.000Z",
                    "2026-11-21T10:30:00.000000001Z", "1969-12-31T23:59:59.9Z", "0001-01-01T00:00:00Z",
                ])))
    }

    mutating func uuid() -> String {
        let digits = Array("0123456789abcdef")
        var text = ""
        for index in 0..<32 {
            if [8, 12, 16, 20].contains(index) { text += "-" }
            text.append(pick(digits))
        }
        return once(in: 3) ? text.uppercased() : text
    }
}
