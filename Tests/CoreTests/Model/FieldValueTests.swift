import SeededNumbers
import Testing

@testable import TidelogCore

@Suite struct FieldValueTests {
    @Test func `equality is reflexive, symmetric and transitive, and equal values hash alike`() throws {
        var generator = SeededGenerator(101)
        var values: [FieldValue] = [
            .int(1 << 53), .double(0x1p53), .int(1 << 53 + 1), .double(0x1p63), .int(.max), .int(.min),
            .double(-0x1p63),
            0, 0.0, .double(-0.0), 1, 1.0, true, false, "é", "e\u{301}", "", "1", .list([]), .list([nil]), .list([1]),
            .list([1.0]), .embedded([:]), .embedded(["a": 1]), .embedded(["a": 1.0]),
            .date(try Temporal.Date("1970-01-01")), .date(try Temporal.Date("1970-01-01Z")),
            .time(try Temporal.Time("00:00")), .dateTime(try Temporal.DateTime("1970-01-01T00:00")),
        ]
        for _ in 0..<60 {
            values.append(
                try generator.value(of: generator.pick(SeededGenerator.orderedTypes), in: SampleSchema.declared))
        }
        for left in values {
            #expect(left == left)
            for right in values {
                #expect((left == right) == (right == left))
                guard left == right else { continue }
                #expect(left.hashValue == right.hashValue, "\(left.exact) and \(right.exact)")
                for third in values where third == right { #expect(left == third) }
            }
        }
    }

    @Test func `texts are equal if their bytes are, and numbers of both kinds if their exact values are`() throws {
        #expect(FieldValue.string("é") != .string("e\u{301}"))
        #expect(FieldValue.int(1 << 53 + 1) != .double(0x1p53))
        #expect(FieldValue.int(.max) != .double(0x1p63))
        #expect(FieldValue.int(.min) == .double(-0x1p63))
        #expect(FieldValue.int(1) != .bool(true))
        #expect(FieldValue.string("1970-01-01") != .date(try Temporal.Date("1970-01-01")))
        #expect(FieldValue.list([nil]) != .list([]))
        #expect(FieldValue.double(.nan) != .double(.nan))
    }

    @Test func `ids are equal if their components are equal`() {
        #expect(RecordID("a") == ["a"])
        #expect(RecordID("é") != RecordID("e\u{301}"))
        #expect(Set<RecordID>([["a", 1], ["a", 1.0], ["a", 2]]).count == 2)
        #expect(ModelID<Sample>("a") == ModelID<Sample>(["a"]))
    }
}
