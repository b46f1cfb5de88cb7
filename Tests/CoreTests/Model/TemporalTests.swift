import SeededNumbers
import Testing

@testable import TidelogCore

@Suite struct TemporalTests {
    @Test(arguments: [
        ("1970-01-01", 0), ("1970-01-01Z", 0), ("1970-01-02", 86_400), ("1969-12-31Z", -86_400),
        ("1970-01-01-07:00", 25_200), ("1970-01-01+05:30", -19_800), ("1970-01-01+05:30:15", -19_815),
        ("2000-02-29", 951_782_400), ("2024-02-29", 1_709_164_800), ("2100-03-01", 4_107_542_400),
        ("0000-01-01", -62_167_219_200), ("0001-01-01", -62_135_596_800), ("9999-12-31", 253_402_214_400),
        ("1600-02-29", -11_670_998_400), ("1970-01-01+18:00", -64_800), ("1970-01-01-18:00:00", 64_800),
        ("1970-01-01+02", -7_200), ("1970-01-01+0230", -9_000), ("-0001-12-31", -62_167_305_600),
        ("-0004-02-29Z", -62_288_352_000), ("-2017-05-01", -125_807_212_800), ("-9999-01-01", -377_705_116_800),
    ])
    func `a date's instant is midnight of its day at its offset`(text: String, seconds: Int64) throws {
        let date = try Temporal.Date(text)
        #expect(date.instant == Temporal.Instant(seconds: seconds))
        #expect(date.text == text)
    }

    @Test(arguments: [
        ("00:00", 0, 0), ("12:30Z", 45_000, 0), ("12:30:24", 45_024, 0), ("12:30:24.5", 45_024, 500_000_000),
        ("12:30:24.500+05:30", 25_224, 500_000_000), ("12:30:24-07:00", 70_224, 0),
        ("23:59:59.999999999", 86_399, 999_999_999),
        ("00:00:00.000000001Z", 0, 1), ("00:00+01:00", -3_600, 0), ("10:30:00.250", 37_800, 250_000_000),
    ])
    func `a time's instant counts from midnight UTC`(text: String, seconds: Int64, nanoseconds: Int32) throws {
        #expect(try Temporal.Time(text).instant == Temporal.Instant(seconds: seconds, nanoseconds: nanoseconds))
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0, 0), ("1970-01-01T00:00", 0, 0), ("1970-01-01T12:30Z", 45_000, 0),
        ("1970-01-01T12:30:24.500+05:30", 25_224, 500_000_000), ("1969-12-31T23:59:59.999Z", -1, 999_000_000),
        ("2038-01-19T03:14:08Z", 2_147_483_648, 0), ("9999-12-31T23:59:59.999999999Z", 253_402_300_799, 999_999_999),
        ("0000-01-01T00:00:00+18:00", -62_167_284_000, 0), ("-2017-05-01T00:00:01-07:00", -125_807_187_599, 0),
        ("2026-11-21T10:30:00.250Z", 1_795_257_000, 250_000_000),
    ])
    func `a date-time has the instant that its offset gives`(text: String, seconds: Int64, nanoseconds: Int32) throws {
        #expect(try Temporal.DateTime(text).instant == Temporal.Instant(seconds: seconds, nanoseconds: nanoseconds))
    }

    @Test(arguments: [
        "1970-1-01", "1970-13-01", "1970-00-01", "1970-01-00", "1970-01-32", "2026-02-29", "2100-02-29", "1900-02-29",
        "2026-04-31", "19700101", "1970-01-01 ", " 1970-01-01", "1970-01-01T00:00", "1970-01-01z", "1970-01-01+19:00",
        "1970-01-01+18:01", "1970-01-01+18:00:01", "1970-01-01-18:30", "1970-01-01+05:60", "1970-01-01+05:30:60",
        "1970-01-01+5", "1970-01-01+05:", "1970-01-01+0530:15", "12026-01-01", "-0000-01-01", "-017-01-01",
        "--017-01-01", "-0003-02-29", "１９７０-01-01",
        "1970-01-01\u{0}", "1970/01/01",
    ])
    func `a text that is no date is refused`(text: String) {
        #expect(throws: TemporalError.self) { try Temporal.Date(text) }
        #expect(throws: TemporalError.self) { try Temporal.DateTime(text + "T") }
    }

    @Test(arguments: [
        "24:00", "23:60", "23:59:60", "1:00", "12", "12:", "12:3", "12:30:", "12:30:2", "12:30:24.", "12:30:24,5",
        "12:30:24.1234567890", "12:30.5", "12:30 Z", "T12:30", "12:30Zx", "-1:00", "12:30+", "12:30:24.5.5",
    ])
    func `a text that is no time is refused`(text: String) {
        #expect(throws: TemporalError.self) { try Temporal.Time(text) }
        #expect(throws: TemporalError.self) { try Temporal.DateTime("1970-01-01T" + text) }
    }

    @Test func `a prefix of a date-time is refused unless the prefix is valid itself`() throws {
        let text = "2026-11-21T10:30:00.250+05:30:15"
        let valid = Set([
            "2026-11-21T10:30", "2026-11-21T10:30:00", "2026-11-21T10:30:00.2", "2026-11-21T10:30:00.25",
            "2026-11-21T10:30:00.250", "2026-11-21T10:30:00.250+05", "2026-11-21T10:30:00.250+05:30", text,
        ])
        for count in 0...text.count {
            let prefix = String(text.prefix(count))
            #expect(((try? Temporal.DateTime(prefix)) != nil) == valid.contains(prefix), "\(prefix)")
        }
    }

    @Test func `an error names the offset at which the text is invalid, and does not quote the text`() {
        let error = #expect(throws: TemporalError.self) { try Temporal.Date("2026-13-01") }
        #expect(error?.offset == 5 && error?.kind == "date")
        #expect(error?.description.contains("2026") == false)
    }

    @Test func `temporals are equal, ordered and hashed by their instant, and keep their text`() throws {
        let (utc, east) = (
            try Temporal.DateTime("2026-11-21T10:30:00Z"), try Temporal.DateTime("2026-11-21T12:30:00.0+02:00")
        )
        #expect(utc == east && utc.hashValue == east.hashValue && utc.text != east.text)
        #expect(try utc < Temporal.DateTime("2026-11-21T10:30:00.000000001Z"))
        #expect("\(east)" == "2026-11-21T12:30:00.0+02:00")
    }

    @Test func `dates of all years with four digits have the instants of the Gregorian calendar`() throws {
        var (expected, checked) = (Int64(-62_167_219_200), 0)
        for year in 0...9_999 {
            let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
            for (month, days) in [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31].enumerated() {
                if month % 5 == 1 || year % 400 == 0 {
                    let text = "\("\(10_000 + year)".dropFirst())-\("\(101 + month)".dropFirst())-\(days)"
                    let date = try Temporal.Date(text)
                    checked += date.instant.seconds == expected + Int64(days - 1) * 86_400 ? 1 : 0
                } else {
                    checked += 1
                }
                expected += Int64(days) * 86_400
            }
        }
        #expect(checked == 120_000)
    }

    @Test func `the texts of dates before year 0 are read as the same dates, and continue the calendar`() throws {
        var day = Int64(-62_167_219_200)
        for _ in 0..<800_000 / 200 {
            let printed = Temporal.DateTime(Temporal.Instant(seconds: day), secondsFromUTC: 0).text
            #expect(try Temporal.DateTime(printed).instant.seconds == day, "\(printed)")
            day -= 86_400 * 199
        }
        #expect(try Temporal.Date("-0001-12-31") + .oneDay == Temporal.Date("0000-01-01"))
        #expect((try Temporal.Date("0000-03-01") - .years(4)).text == "-0004-03-01Z")
        #expect(try Temporal.Date("-2017-05-01") < Temporal.Date("-2016-05-01"))
    }

    @Test func `random texts are read as temporals or refused, and never cause a trap`() {
        var generator = SeededGenerator(91)
        for _ in 0..<20_000 {
            var bytes = Array((generator.dateText() + "T" + generator.clockText() + generator.offsetText()).utf8)
            for _ in 0..<generator.below(3) {
                bytes[generator.below(bytes.count)] = generator.pick(Array("0123456789:-+TZ.".utf8))
            }
            let text = String(decoding: bytes, as: UTF8.self)
            _ = try? Temporal.DateTime(text)
            _ = try? Temporal.Date(text)
            _ = try? Temporal.Time(String(text.dropFirst(11)))
        }
    }
}
