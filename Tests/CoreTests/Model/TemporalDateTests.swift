import Foundation
import SeededNumbers
import Testing
import Tidelog

/// Compares temporals with Foundation's dates. Foundation's calendar gives the expected values.
@Suite("Temporals and Foundation's dates")
struct TemporalDateTests {
    private static let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    private static func date(_ random: inout SeededGenerator) -> Foundation.Date {
        // A time in the years 1 to 9990, to the millisecond.
        Foundation.Date(
            timeIntervalSince1970: Double(Int64.random(in: -62_135_596_800_000...253_000_000_000_000, using: &random))
                / 1_000)
    }

    @Test("a temporal made from a date gives the date back to the millisecond, and its text reads as the same instant")
    func roundTrip() throws {
        var random = SeededGenerator(41)
        for _ in 0..<2_000 {
            let date = Self.date(&random)
            let zone = try #require(TimeZone(secondsFromGMT: Int.random(in: -14 * 4...14 * 4, using: &random) * 900))
            let dateTime = Temporal.DateTime(date, timeZone: zone)
            #expect(abs(dateTime.foundationDate.timeIntervalSince(date)) < 0.000_6)
            let read = try Temporal.DateTime(iso8601String: dateTime.iso8601String)
            #expect(read.instant == dateTime.instant, "\(dateTime)")
            let day = Temporal.Date(date, timeZone: zone)
            #expect(try Temporal.Date(day.text).instant == day.instant)
            let time = Temporal.Time(date, timeZone: zone)
            #expect(try Temporal.Time(time.text).instant == time.instant, "\(time)")
            let timestamp = Temporal.Timestamp(date)
            #expect(timestamp.foundationDate <= date && date.timeIntervalSince(timestamp.foundationDate) < 1)
        }
    }

    @Test("known dates have the expected texts and seconds, also in other time zones")
    func known() throws {
        let date = Foundation.Date(timeIntervalSince1970: 1_795_257_000.25)
        #expect(Temporal.DateTime(date).text == "2026-11-21T10:30:00.250Z")
        let zone = try #require(TimeZone(secondsFromGMT: 2 * 3_600))
        #expect(Temporal.DateTime(date, timeZone: zone).text == "2026-11-21T12:30:00.250+02:00")
        #expect(Temporal.Date(date).text == "2026-11-21Z")
        let west = try #require(TimeZone(secondsFromGMT: -11 * 3_600))
        #expect(Temporal.Date(date, timeZone: west).text == "2026-11-20Z")
        #expect(Temporal.Time(date).text == "10:30:00.250Z")
        #expect(Temporal.Time(date).foundationDate == Foundation.Date(timeIntervalSince1970: 946_722_600.25))
        #expect(Temporal.Timestamp(date).seconds == 1_795_257_000)
        #expect(Temporal.Timestamp(date).iso8601String == "2026-11-21T10:30:00Z")
        #expect(abs(Temporal.DateTime.now().foundationDate.timeIntervalSinceNow) < 60)
    }

    @Test("days, weeks, months and years are added as Foundation's calendar adds them")
    func dateUnits() throws {
        var random = SeededGenerator(42)
        for _ in 0..<2_000 {
            let start = Temporal.DateTime(
                Foundation.Date(timeIntervalSince1970: Double(Int64.random(in: 0...4_000_000_000, using: &random))))
            let count = Int.random(in: -300...300, using: &random)
            for (unit, component, factor) in [
                (Temporal.DateUnit.days(count), Calendar.Component.day, 1), (.weeks(count), .day, 7),
                (.months(count), .month, 1), (.years(count), .year, 1),
            ] {
                // If the target month has no such day, the answers of Foundation contradict each other. The
                // expectations after the loop cover these days.
                if component != .day, start.text.dropFirst(8).prefix(2) > "28" { continue }
                let expected = try #require(
                    Self.calendar.date(byAdding: component, value: count * factor, to: start.foundationDate))
                #expect((start + unit).foundationDate == expected, "\(start) \(count) \(component)")
                let day = Temporal.Date(start.foundationDate)
                let expectedDay = try #require(
                    Self.calendar.date(byAdding: component, value: -count * factor, to: day.foundationDate))
                #expect((day - unit).foundationDate == expectedDay)
            }
        }
        #expect((try Temporal.Date("2024-01-31") + .oneMonth).text == "2024-02-29Z")
        #expect((try Temporal.Date("2024-02-29") + .oneYear).text == "2025-02-28Z")
        #expect((try Temporal.Date("2044-04-29") - .months(218)).text == "2026-02-28Z")
        #expect((try Temporal.Date("2024-02-29") + .years(4)).text == "2028-02-29Z")
        #expect((try Temporal.Date("2024-02-29") - .years(24)).text == "2000-02-29Z")
    }

    @Test("units from hours to nanoseconds are added exactly, and a time of day wraps around at midnight")
    func timeUnits() throws {
        let start = try Temporal.DateTime("2026-12-31T23:59:59.999999999+02:00")
        #expect((start + .oneNanosecond).text == "2026-12-31T22:00:00Z")
        #expect((start + .hours(2)).text == "2026-12-31T23:59:59.999999999Z")
        #expect((start - .milliseconds(1_500)).text == "2026-12-31T21:59:58.499999999Z")
        #expect((start + .minutes(-1)).text == "2026-12-31T21:58:59.999999999Z")
        #expect((try Temporal.Time("23:30") + .oneHour).text == "00:30:00Z")
        #expect((try Temporal.Time("00:30") - .seconds(3_600)).text == "23:30:00Z")
    }

    @Test("an error gives Foundation its message and its recovery as localized texts")
    func localized() {
        let error: any Error = DataStoreError(.notFound, "There is no store here.", recovery: "Create one.")
        #expect(error.localizedDescription == "There is no store here. Create one.")
        #expect((error as? any LocalizedError)?.recoverySuggestion == "Create one.")
    }
}
