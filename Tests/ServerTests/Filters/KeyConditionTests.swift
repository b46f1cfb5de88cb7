import SeededNumbers
import ServerSupport
import TestStores
import Testing
import Tidelog
import TidelogAgreement
import TidelogGraphQLExecution

@testable import TidelogServer

@Suite("Conditions on keys", .databaseToo)
struct KeyConditionTests {
    private static let sdl = """
        enum Kind { draft done }
        type Visit @model {
          id: ID!
          place: ID! @index(name: "byDay", queryField: "visitsByDay", sortKeyFields: ["day"])
            @index(name: "byKind", queryField: "visitsByKind", sortKeyFields: ["kind", "day"])
            @index(name: "byTime", queryField: "visitsByTime", sortKeyFields: ["at"])
          kind: Kind
          day: AWSDate
          at: AWSDateTime
        }
        type Slot @model { place: ID! @primaryKey(sortKeyFields: ["day"]) day: AWSDate! }
        """

    private static let days = ["2025-12-31", "2026-01-01", "2026-01-31", "2026-02-01", "2026-02-28", "2026-03-01"]

    /// Conditions, and the places of the days that fulfil them.
    private static let conditions: [(condition: String, places: Range<Int>)] = [
        (#"beginsWith: "2026-02""#, 3..<5), (#"beginsWith: "2026-02-28""#, 4..<5), (#"beginsWith: "2026-02-2""#, 4..<5),
        (#"beginsWith: "2026-0""#, 1..<6), (#"beginsWith: "202""#, 0..<6), (#"beginsWith: "2027""#, 6..<6),
        (#"beginsWith: """#, 0..<6), (#"between: ["2026-01", "2026-03"]"#, 1..<5),
        (#"between: ["2026-01-31", "2026-02-28"]"#, 2..<5), (#"ge: "2026-02-28""#, 4..<6),
        (#"gt: "2026-02-28""#, 5..<6),
        (#"ge: "2026-02""#, 3..<6), (#"gt: "2026-02""#, 3..<6), (#"lt: "2026""#, 0..<1), (#"le: "2026""#, 0..<1),
        (#"le: "2026-01-31""#, 0..<3), (#"eq: "2026-02-28""#, 4..<5), (#"eq: "2026-02""#, 0..<0),
        // These texts are the beginning of no date. Texts are compared byte by byte.
        (#"ge: "2026-02-3""#, 5..<6), (#"lt: "2026-13""#, 0..<6), (#"gt: "x""#, 0..<0),
        (#"beginsWith: "2026-2""#, 0..<0),
    ]

    @Test(
        "the beginning of a date is a condition on keys, composite keys, primary keys and filters",
        arguments: Adapter.all)
    func dates(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        for day in Self.days {
            let visit = "place: \"p\", kind: done, day: \"\(day)\", at: \"\(day)T23:59:59.999Z\""
            _ = try await served.data("mutation { createVisit(input: {\(visit)}) { id } }")
            _ = try await served.data("mutation { createSlot(input: {place: \"p\", day: \"\(day)\"}) { day } }")
        }
        for (condition, places) in Self.conditions {
            let composite = condition.replacing(/"[^"]*"/) { "{kind: done, day: \($0.output)}" }
            var queries = [
                "visitsByDay(place: \"p\", day: {\(condition)})", "visitsByKind(place: \"p\", kindDay: {\(composite)})",
                "listSlots(place: \"p\", day: {\(condition)})", "listVisits(filter: {day: {\(condition)}})",
            ]
            // A whole date is the beginning of a date and time, not a date and time.
            if !condition.contains("-31"), !condition.contains("-28") {
                queries.append("visitsByTime(place: \"p\", at: {\(condition)})")
            }
            for query in queries {
                let found = try await served.data("{ q: \(query) { items { day } } }")["q"]?["items"]?.elements ?? []
                #expect(found.compactMap { $0["day"]?.text }.sorted() == Array(Self.days[places]), "\(query)")
            }
        }
    }

    @Test("a key that is too long for every record finds nothing", arguments: Adapter.all)
    func longKeys(adapter: Adapter) async throws {
        let served = try await ServedSchema(Self.sdl, on: adapter)
        _ = try await served.data(#"mutation { createVisit(input: {place: "p", day: "2026-01-01"}) { id } }"#)
        _ = try await served.data(#"mutation { createSlot(input: {place: "p", day: "2026-01-01"}) { day } }"#)
        for count in [255, 256, 511, 512, 2_000, 20_000] {
            let text = String(repeating: "p", count: count)
            let queries = [
                "listSlots(place: \"\(text)\") { items { day } }",
                "listSlots(place: \"\(text)\", day: {ge: \"2026\"}) { items { day } }",
                "visitsByDay(place: \"\(text)\") { items { day } }",
                "visitsByDay(place: \"\(text)\", day: {beginsWith: \"\(text)\"}) { items { day } }",
                "visitsByDay(place: \"p\", day: {beginsWith: \"\(text)\"}) { items { day } }",
                "listVisits(filter: {id: {beginsWith: \"\(text)\"}}) { items { day } }",
                "syncVisits(filter: {and: [{place: {eq: \"\(text)\"}}, {day: {eq: \"x\"}}]}) { items { day } }",
            ]
            for query in queries {
                let found = try await served.data("{ q: \(query) }")["q"]?["items"]
                #expect(found?.elements.isEmpty == true, "\(count): \(query.prefix(40))")
            }
        }
    }

    @Test(
        "the beginning of a date or time is a range of instants",
        arguments: [
            ("2026", .date, "2026-01-01T00:00:00Z", "2026-12-31T23:59:59.999999999Z"),
            ("2024-02", .date, "2024-02-01T00:00:00Z", "2024-02-29T23:59:59.999999999Z"),
            ("-2017-05", .date, "-2017-05-01T00:00:00Z", "-2017-05-31T23:59:59.999999999Z"),
            ("-01", .dateTime, "-0199-01-01T00:00:00Z", "-0100-12-31T23:59:59.999999999Z"),
            ("2026-1", .date, "2026-10-01T00:00:00Z", "2026-12-31T23:59:59.999999999Z"),
            ("2026-02-", .date, "2026-02-01T00:00:00Z", "2026-02-28T23:59:59.999999999Z"),
            ("2026-01-3", .date, "2026-01-30T00:00:00Z", "2026-01-31T23:59:59.999999999Z"),
            ("2026-02-28", .dateTime, "2026-02-28T00:00:00Z", "2026-02-28T23:59:59.999999999Z"),
            ("2026-02-28T1", .dateTime, "2026-02-28T10:00:00Z", "2026-02-28T19:59:59.999999999Z"),
            ("2026-02-28T10:30", .dateTime, "2026-02-28T10:30:00Z", "2026-02-28T10:30:59.999999999Z"),
            ("2026-02-28T10:30:05.25", .dateTime, "2026-02-28T10:30:05.25Z", "2026-02-28T10:30:05.259999999Z"),
            ("2", .time, "1970-01-01T20:00:00Z", "1970-01-01T23:59:59.999999999Z"),
            ("10:", .time, "1970-01-01T10:00:00Z", "1970-01-01T10:59:59.999999999Z"),
        ] as [(String, FieldType, String, String)])
    func ranges(text: String, type: FieldType, first: String, last: String) throws {
        let prefix = try #require(TemporalPrefix(text, of: type))
        for (value, expected) in [(prefix.first, first), (prefix.last, last)] {
            let instant =
                switch value {
                case .date(let date): date.instant
                case .time(let time): time.instant
                case .dateTime(let dateTime): dateTime.instant
                default: try #require(nil as Temporal.Instant?)
                }
            #expect(instant == (try Temporal.DateTime(expected)).instant)
        }
    }

    @Test(
        "a text with which no date or time begins is no range",
        arguments: [
            ("", .date), ("x", .date), ("2026-13", .date), ("2026-2", .date), ("2026-02-3", .date),
            ("2026-02-29", .date),
            ("2026-02-28T", .date), ("2026-02-28Z", .date), ("20-02", .date), ("2026--", .date), ("T", .dateTime),
            ("2026-02T", .dateTime), ("2026-02-28T24", .dateTime), ("2026-02-28T10:30:00Z", .dateTime), ("3", .time),
            ("10:6", .time), ("10:30:00.0000000000", .time), ("\u{661}", .time), ("2026", .string),
        ] as [(String, FieldType)])
    func junk(text: String, type: FieldType) { #expect(TemporalPrefix(text, of: type) == nil) }
}
